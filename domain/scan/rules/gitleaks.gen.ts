/**
 * Rules of gitleaks (https://github.com/gitleaks/gitleaks, config/gitleaks.toml at b58d3f102cf3, MIT licence, (c) 2019 Zachary Rice) whose
 * keyword is part of the token itself. Rules that need a vendor's name before an assignment are left out: assigned values are found by
 * domain/personal-data. The patterns are in RE2's syntax and are run by re2js. One line each: name, keywords, entropy, pattern.
 */
const TABLE = String.raw`
1password-secret-key a3- 3.8 \bA3-[A-Z0-9]{6}-(?:(?:[A-Z0-9]{11})|(?:[A-Z0-9]{6}-[A-Z0-9]{5}))-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}\b
1password-service-account-token ops_ 4 ops_eyJ[a-zA-Z0-9+/]{250,}={0,3}
adobe-client-secret p8e- 2 \b(p8e-(?i)[a-z0-9]{32})(?:[\x60'"\s;]|\\[nr]|$)
age-secret-key age-secret-key-1 0 AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}
alibaba-access-key-id ltai 2 \b(LTAI(?i)[a-z0-9]{20})(?:[\x60'"\s;]|\\[nr]|$)
anthropic-admin-api-key sk-ant-admin01 0 \b(sk-ant-admin01-[a-zA-Z0-9_\-]{93}AA)(?:[\x60'"\s;]|\\[nr]|$)
anthropic-api-key sk-ant-api03 0 \b(sk-ant-api03-[a-zA-Z0-9_\-]{93}AA)(?:[\x60'"\s;]|\\[nr]|$)
artifactory-api-key akcp 4.5 \bAKCp[A-Za-z0-9]{69}\b
artifactory-reference-token cmvmd 4.5 \bcmVmd[A-Za-z0-9]{59}\b
aws-access-token a3t,akia,asia,abia,acca 3 \b((?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})\b
aws-amazon-bedrock-api-key-long-lived absk 3 \b(ABSK[A-Za-z0-9+/]{109,269}={0,2})(?:[\x60'"\s;]|\\[nr]|$)
clickhouse-cloud-api-secret-key 4b1d 3 \b(4b1d[A-Za-z0-9]{38})\b
clojars-api-token clojars_ 2 (?i)CLOJARS_[a-z0-9]{60}
cloudflare-origin-ca-key cloudflare,v1.0- 2 \b(v1\.0-[a-f0-9]{24}-[a-f0-9]{146})(?:[\x60'"\s;]|\\[nr]|$)
databricks-api-token dapi 3 \b(dapi[a-f0-9]{32}(?:-\d)?)(?:[\x60'"\s;]|\\[nr]|$)
digitalocean-access-token doo_v1_ 3 \b(doo_v1_[a-f0-9]{64})(?:[\x60'"\s;]|\\[nr]|$)
digitalocean-pat dop_v1_ 3 \b(dop_v1_[a-f0-9]{64})(?:[\x60'"\s;]|\\[nr]|$)
digitalocean-refresh-token dor_v1_ 0 (?i)\b(dor_v1_[a-f0-9]{64})(?:[\x60'"\s;]|\\[nr]|$)
doppler-api-token dp.pt. 2 dp\.pt\.(?i)[a-z0-9]{43}
duffel-api-token duffel_ 2 duffel_(?:test|live)_(?i)[a-z0-9_\-=]{43}
dynatrace-api-token dt0c01. 4 dt0c01\.(?i)[a-z0-9]{24}\.[a-z0-9]{64}
easypost-api-token ezak 2 \bEZAK(?i)[a-z0-9]{54}\b
easypost-test-api-token eztk 2 \bEZTK(?i)[a-z0-9]{54}\b
facebook-page-access-token eaam,eaac 4 \b(EAA[MC](?i)[a-z0-9]{100,})(?:[\x60'"\s;]|\\[nr]|$)
flutterwave-encryption-key flwseck_test 2 FLWSECK_TEST-(?i)[a-h0-9]{12}
flutterwave-public-key flwpubk_test 2 FLWPUBK_TEST-(?i)[a-h0-9]{32}-X
flutterwave-secret-key flwseck_test 2 FLWSECK_TEST-(?i)[a-h0-9]{32}-X
flyio-access-token fo1_,fm1,fm2_ 4 \b((?:fo1_[\w-]{43}|fm1[ar]_[a-zA-Z0-9+\/]{100,}={0,3}|fm2_[a-zA-Z0-9+\/]{100,}={0,3}))(?:[\x60'"\s;]|\\[nr]|$)
frameio-api-token fio-u- 0 fio-u-(?i)[a-z0-9\-_=]{64}
gcp-api-key aiza 4 \b(AIza[\w-]{35})(?:[\x60'"\s;]|\\[nr]|$)
github-app-token ghu_,ghs_ 3 (?:ghu|ghs)_[0-9a-zA-Z]{36}
github-fine-grained-pat github_pat_ 3 github_pat_\w{82}
github-oauth gho_ 3 gho_[0-9a-zA-Z]{36}
github-pat ghp_ 3 ghp_[0-9a-zA-Z]{36}
github-refresh-token ghr_ 3 ghr_[0-9a-zA-Z]{36}
gitlab-cicd-job-token glcbt- 3 glcbt-[0-9a-zA-Z]{1,5}_[0-9a-zA-Z_-]{20}
gitlab-deploy-token gldt- 3 gldt-[0-9a-zA-Z_\-]{20}
gitlab-feature-flag-client-token glffct- 3 glffct-[0-9a-zA-Z_\-]{20}
gitlab-feed-token glft- 3 glft-[0-9a-zA-Z_\-]{20}
gitlab-incoming-mail-token glimt- 3 glimt-[0-9a-zA-Z_\-]{25}
gitlab-kubernetes-agent-token glagent- 3 glagent-[0-9a-zA-Z_\-]{50}
gitlab-oauth-app-secret gloas- 3 gloas-[0-9a-zA-Z_\-]{64}
gitlab-pat glpat- 3 glpat-[\w-]{20}
gitlab-pat-routable glpat- 4 \bglpat-[0-9a-zA-Z_-]{27,300}\.[0-9a-z]{2}[0-9a-z]{7}\b
gitlab-ptt glptt- 3 glptt-[0-9a-f]{40}
gitlab-rrt gr1348941 3 GR1348941[\w-]{20}
gitlab-runner-authentication-token glrt- 3 glrt-[0-9a-zA-Z_\-]{20}
gitlab-runner-authentication-token-routable glrt- 4 \bglrt-t\d_[0-9a-zA-Z_\-]{27,300}\.[0-9a-z]{2}[0-9a-z]{7}\b
gitlab-scim-token glsoat- 3 glsoat-[0-9a-zA-Z_\-]{20}
gitlab-session-cookie _gitlab_session= 3 _gitlab_session=[0-9a-z]{32}
grafana-api-key eyjrijoi 3 (?i)\b(eyJrIjoi[A-Za-z0-9]{70,400}={0,3})(?:[\x60'"\s;]|\\[nr]|$)
grafana-cloud-api-token glc_ 3 (?i)\b(glc_[A-Za-z0-9+/]{32,400}={0,3})(?:[\x60'"\s;]|\\[nr]|$)
grafana-service-account-token glsa_ 3 (?i)\b(glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8})(?:[\x60'"\s;]|\\[nr]|$)
harness-api-key pat.,sat. 0 (?:pat|sat)\.[a-zA-Z0-9_-]{22}\.[a-zA-Z0-9]{24}\.[a-zA-Z0-9]{20}
hashicorp-tf-api-token atlasv1 3.5 (?i)[a-z0-9]{14}\.(?-i:atlasv1)\.[a-z0-9\-_=]{60,70}
heroku-api-key-v2 hrku-aa 4 \b((HRKU-AA[0-9a-zA-Z_-]{58}))(?:[\x60'"\s;]|\\[nr]|$)
huggingface-access-token hf_ 2 \b(hf_(?i:[a-z]{34}))(?:[\x60'"\s;]|\\[nr]|$)
huggingface-organization-api-token api_org_ 2 \b(api_org_(?i:[a-z]{34}))(?:[\x60'"\s;]|\\[nr]|$)
infracost-api-token ico- 3 \b(ico-[a-zA-Z0-9]{32})(?:[\x60'"\s;]|\\[nr]|$)
linear-api-key lin_api_ 2 lin_api_(?i)[a-z0-9]{40}
maxmind-license-key _mmk 4 \b([A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)(?:[\x60'"\s;]|\\[nr]|$)
microsoft-teams-webhook webhook.office.com,webhookb2,incomingwebhook 0 https://[a-z0-9]+\.webhook\.office\.com/webhookb2/[a-z0-9]{8}-([a-z0-9]{4}-){3}[a-z0-9]{12}@[a-z0-9]{8}-([a-z0-9]{4}-){3}[a-z0-9]{12}/IncomingWebhook/[a-z0-9]{32}/[a-z0-9]{8}-([a-z0-9]{4}-){3}[a-z0-9]{12}
notion-api-token ntn_ 4 \b(ntn_[0-9]{11}[A-Za-z0-9]{32}[A-Za-z0-9]{3})(?:[\x60'"\s;]|\\[nr]|$)
npm-access-token npm_ 2 (?i)\b(npm_[a-z0-9]{36})(?:[\x60'"\s;]|\\[nr]|$)
openai-api-key t3blbkfj 3 \b(sk-(?:proj|svcacct|admin)-(?:[A-Za-z0-9_-]{74}|[A-Za-z0-9_-]{58})T3BlbkFJ(?:[A-Za-z0-9_-]{74}|[A-Za-z0-9_-]{58})\b|sk-[a-zA-Z0-9]{20}T3BlbkFJ[a-zA-Z0-9]{20})(?:[\x60'"\s;]|\\[nr]|$)
openshift-user-token sha256~ 3.5 \b(sha256~[\w-]{43})(?:[^\w-]|\z)
perplexity-api-key pplx- 4 \b(pplx-[a-zA-Z0-9]{48})(?:[\x60'"\s;]|\\[nr]|$|\b)
planetscale-api-token pscale_tkn_ 3 \b(pscale_tkn_(?i)[\w=\.-]{32,64})(?:[\x60'"\s;]|\\[nr]|$)
planetscale-oauth-token pscale_oauth_ 3 \b(pscale_oauth_[\w=\.-]{32,64})(?:[\x60'"\s;]|\\[nr]|$)
planetscale-password pscale_pw_ 3 (?i)\b(pscale_pw_(?i)[\w=\.-]{32,64})(?:[\x60'"\s;]|\\[nr]|$)
postman-api-token pmak- 3 \b(PMAK-(?i)[a-f0-9]{24}\-[a-f0-9]{34})(?:[\x60'"\s;]|\\[nr]|$)
prefect-api-token pnu_ 2 \b(pnu_[a-zA-Z0-9]{36})(?:[\x60'"\s;]|\\[nr]|$)
pulumi-api-token pul- 2 \b(pul-[a-f0-9]{40})(?:[\x60'"\s;]|\\[nr]|$)
pypi-upload-token pypi-ageichlwas5vcmc 3 pypi-AgEIcHlwaS5vcmc[\w-]{50,1000}
readme-api-token rdme_ 2 \b(rdme_[a-z0-9]{70})(?:[\x60'"\s;]|\\[nr]|$)
rubygems-api-token rubygems_ 2 \b(rubygems_[a-f0-9]{48})(?:[\x60'"\s;]|\\[nr]|$)
scalingo-api-token tk-us- 2 \b(tk-us-[\w-]{48})(?:[\x60'"\s;]|\\[nr]|$)
sendgrid-api-token sg. 2 \b(SG\.(?i)[a-z0-9=_\-\.]{66})(?:[\x60'"\s;]|\\[nr]|$)
sendinblue-api-token xkeysib- 2 \b(xkeysib-[a-f0-9]{64}\-(?i)[a-z0-9]{16})(?:[\x60'"\s;]|\\[nr]|$)
sentry-org-token sntrys_eyjpyxqio 4.5 \bsntrys_eyJpYXQiO[a-zA-Z0-9+/]{10,200}(?:LCJyZWdpb25fdXJs|InJlZ2lvbl91cmwi|cmVnaW9uX3VybCI6)[a-zA-Z0-9+/]{10,200}={0,2}_[a-zA-Z0-9+/]{43}(?:[^a-zA-Z0-9+/]|\z)
sentry-user-token sntryu_ 3.5 \b(sntryu_[a-f0-9]{64})(?:[\x60'"\s;]|\\[nr]|$)
settlemint-application-access-token sm_aat 3 \b(sm_aat_[a-zA-Z0-9]{16})(?:[\x60'"\s;]|\\[nr]|$)
settlemint-personal-access-token sm_pat 3 \b(sm_pat_[a-zA-Z0-9]{16})(?:[\x60'"\s;]|\\[nr]|$)
settlemint-service-access-token sm_sat 3 \b(sm_sat_[a-zA-Z0-9]{16})(?:[\x60'"\s;]|\\[nr]|$)
shippo-api-token shippo_ 2 \b(shippo_(?:live|test)_[a-fA-F0-9]{40})(?:[\x60'"\s;]|\\[nr]|$)
shopify-access-token shpat_ 2 shpat_[a-fA-F0-9]{32}
shopify-custom-access-token shpca_ 2 shpca_[a-fA-F0-9]{32}
shopify-private-app-access-token shppa_ 2 shppa_[a-fA-F0-9]{32}
shopify-shared-secret shpss_ 2 shpss_[a-fA-F0-9]{32}
slack-app-token xapp 2 (?i)xapp-\d-[A-Z0-9]+-\d+-[a-z0-9]+
slack-bot-token xoxb 3 xoxb-[0-9]{10,13}-[0-9]{10,13}[a-zA-Z0-9-]*
slack-config-access-token xoxe.xoxb-,xoxe.xoxp- 2 (?i)xoxe.xox[bp]-\d-[A-Z0-9]{163,166}
slack-config-refresh-token xoxe- 2 (?i)xoxe-\d-[A-Z0-9]{146}
slack-legacy-bot-token xoxb 2 xoxb-[0-9]{8,14}-[a-zA-Z0-9]{18,26}
slack-legacy-token xoxo,xoxs 2 xox[os]-\d+-\d+-\d+-[a-fA-F\d]+
slack-legacy-workspace-token xoxa,xoxr 2 xox[ar]-(?:\d-)?[0-9a-zA-Z]{8,48}
slack-user-token xoxp-,xoxe- 2 xox[pe](?:-[0-9]{10,13}){3}-[a-zA-Z0-9-]{28,34}
slack-webhook-url hooks.slack.com 0 (?:https?://)?hooks.slack.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{43,56}
stripe-access-token sk_test,sk_live,sk_prod,rk_test,rk_live,rk_prod 2 \b((?:sk|rk)_(?:test|live|prod)_[a-zA-Z0-9]{10,99})(?:[\x60'"\s;]|\\[nr]|$)
vault-batch-token hvb. 4 \b(hvb\.[\w-]{138,300})(?:[\x60'"\s;]|\\[nr]|$)
`

export interface GitleaksRule {
  readonly id: string
  /** Lower case; a text without any of them cannot match. */
  readonly keywords: readonly string[]
  /** The least Shannon entropy of the token, in bits for each character; 0 for none. */
  readonly entropy: number
  readonly pattern: string
}

export const GITLEAKS_RULES: readonly GitleaksRule[] = TABLE.trim()
  .split('\n')
  .map((line) => {
    const [id = '', keywords = '', entropy = '', ...pattern] = line.split(' ')
    return { id, keywords: keywords.split(','), entropy: Number(entropy), pattern: pattern.join(' ') }
  })
