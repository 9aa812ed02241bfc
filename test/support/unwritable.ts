import type pg from 'pg'
import { withConnection } from '../../store/connection.js'

/** Ways to keep a PostgreSQL database from taking writes, as a superuser of it. */

/** Makes every transaction read-only, as on a standby, or writable again; existing connections are ended. */
export async function setReadOnly(url: string, readOnly: boolean): Promise<void> {
  await asSuperuser(url, async (db) => {
    const name = (await db.query<{ name: string }>('select current_database() as name')).rows[0]!.name
    await db.query(`alter database ${name} set default_transaction_read_only = ${readOnly ? 'on' : 'off'}`)
    await endOthers(db)
  })
}

/**
 * Simulates a full disk: triggers raise PostgreSQL's error (SQLSTATE 53100) for rows, and a function that shadows
 * PostgreSQL's own does for temporary files. Returns functions that fill the disk and free it again.
 */
export async function simulateFullDisk(url: string): Promise<{ fill(): Promise<void>; free(): Promise<void> }> {
  await asSuperuser(url, async (db) => {
    await db.query(`
      create schema disk;
      create table disk.state (is_full boolean);
      insert into disk.state values (false);
      create function disk.require_space() returns void language plpgsql security definer as $$ begin
        if (select is_full from disk.state) then
          raise exception 'could not extend file: No space left on device' using errcode = '53100';
        end if;
      end $$;
      create function disk.write() returns trigger language plpgsql as $$ begin
        perform disk.require_space();
        return new;
      end $$;
      create function disk.repeat(filler text, times integer) returns text language plpgsql as $$ begin
        perform disk.require_space();
        return pg_catalog.repeat(filler, times);
      end $$;
      grant usage on schema disk to public;
      do $$ declare name text; begin
        for name in select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' loop
          execute format('create trigger full_disk before insert on public.%I for each row execute function disk.write()', name);
        end loop;
        execute format('alter database %I set search_path = disk, pg_catalog, public', current_database());
      end $$`)
    await endOthers(db)
  })
  const set = (isFull: boolean) => asSuperuser(url, (db) => db.query('update disk.state set is_full = $1', [isFull]))
  return { fill: () => set(true), free: () => set(false) }
}

async function asSuperuser(url: string, work: (db: pg.Client) => Promise<unknown>): Promise<void> {
  const options = '-c default_transaction_read_only=off'
  await withConnection({ connectionString: url, options }, work)
}

/** Ends other connections; new ones have the changed settings. */
async function endOthers(db: pg.Client): Promise<void> {
  await db.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`)
}
