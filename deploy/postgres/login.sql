-- Makes the login of cairn's processes and its database, for psql 15 or newer and a superuser:
-- CAIRN_PASSWORD=… psql --file deploy/postgres/login.sql "$ADMIN_URL"
-- The login owns the database and is no superuser. It takes the roles of row level security and inherits nothing of
-- them, so a connection that has neither role reads no tenant's rows.
\set ON_ERROR_STOP on
\getenv password CAIRN_PASSWORD
\if :{?login}
\else
  \set login cairn
\endif
\if :{?database}
\else
  \set database cairn
\endif
select format('create role %I nologin', name)
  from unnest(array['cairn_app', 'cairn_system']) as name
  where not exists (select from pg_roles where rolname = name) \gexec
create role :"login" login noinherit nosuperuser nocreatedb nocreaterole nobypassrls noreplication password :'password';
-- The migration grants them to its login once more, for which it takes the admin option.
grant cairn_app, cairn_system to :"login" with admin option;
create database :"database" owner :"login";
revoke connect, temporary on database :"database" from public;
\connect :"database"
-- An owner that inherits nothing gets no right on this schema through the database.
alter schema public owner to :"login";
