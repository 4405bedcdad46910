"""Vendors' credentials by their unmistakable beginnings: a table, gathered from the vendors' own documentation.

A row: kind, beginnings, and what follows: a class of characters (A letters and digits, W those and `_-`, B those and
`+/=.~%`, H hexadecimal, U upper case and digits) with the least length. Lengths are a little below the documented
ones: a key that was copied without its end is one nevertheless.
"""

Prefix = tuple[str, tuple[str, ...], str]

CLASSES = {
    "A": "[0-9A-Za-z]",
    "W": "[0-9A-Za-z_-]",
    "B": "[0-9A-Za-z_+/=.~%-]",
    "H": "[0-9A-Fa-f]",
    "U": "[0-9A-Z]",
}

PREFIXES: tuple[Prefix, ...] = (
    ("AWS Access Key", ("ABSK", "bedrock-api-key-"), "B60"),
    ("API Key", ("AIza",), "W33"),
    ("GCP OAuth Token", ("GOCSPX-", "ya29.", "1//0", "AQ.Ab8"), "B24"),
    ("Firebase Server Key", ("AAAA",), "W7:APA91[0-9A-Za-z_-]{60}"),
    ("GitHub Token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), "A30"),
    ("GitHub Token", ("github_pat_",), "W22"),
    ("GitLab Token", ("glpat-", "gldt-", "glft-", "glrt-", "glrtr-", "glsoat-", "glptt-", "glcbt-"), "B20"),
    ("GitLab Token", ("glagent-", "gloas-", "glimt-", "glffct-", "GR1348941"), "B20"),
    ("Atlassian Token", ("ATATT3", "ATCTT3", "ATSTT3", "ATBB"), "B24"),
    ("Slack Token", ("xwfp-", "xoxe.xoxp-", "xoxe.xoxb-"), "B20"),
    ("Stripe Access Key", ("sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_", "rk_prod_", "sk_org_"), "W16"),
    ("Stripe Webhook Secret", ("whsec_",), "B24"),
    ("Square OAuth Secret", ("sq0atp-", "sq0csp-", "sq0idp-", "EAAAE", "EAAAl"), "W20"),
    ("Facebook Token", ("EAACEdEose0cBA", "EAAC", "EAAB", "EAAG", "EAAD", "EAAM", "EAAJ", "EAAE", "EAAI"), "A50"),
    ("Facebook Token", ("IGQV", "IGAA"), "W50"),
    ("PayPal Token", ("access_token$production$", "access_token$sandbox$"), "B16"),
    ("PayPal Token", ("A21AA",), "W60"),
    ("Mail API Key", ("re_",), "A8_[0-9A-Za-z]{16,40}(?![0-9A-Za-z])"),
    ("Mail API Key", ("xkeysib-", "xsmtpsib-", "mlsn."), "W40"),
    ("Mailgun API Key", ("key-",), "H32"),
    ("Mandrill API Key", ("md-",), "W22"),
    ("NPM tokens", ("npm_",), "A36"),
    ("PyPI Token", ("pypi-Ag",), "W60"),
    ("RubyGems Token", ("rubygems_",), "H40"),
    ("Package Registry Token", ("dckr_pat_", "dckr_oat_", "CLOJARS_", "oy2", "cmVmdGtuO"), "W26"),
    ("Crates.io Token", ("cio",), "A32"),
    ("Artifactory Credentials", ("AKC", "cmVmd"), "A57"),
    ("DigitalOcean Token", ("dop_v1_", "doo_v1_", "dor_v1_"), "H40"),
    ("Shopify Token", ("shpat_", "shpca_", "shppa_", "shpss_", "shpua_", "shptka_"), "H30"),
    ("Databricks Token", ("dapi", "dose", "dkea"), "H32"),
    ("Vault Token", ("hvs.", "hvb.", "hvr."), "W20"),
    ("Grafana Token", ("glsa_", "glc_", "eyJrIjoi"), "B32"),
    ("Sentry Token", ("sntrys_", "sntryu_", "sntrya_"), "B32"),
    ("Notion Token", ("ntn_",), "A30"),
    ("Notion Token", ("secret_",), "A40"),
    ("Linear Token", ("lin_api_", "lin_oauth_", "lin_wh_"), "A30"),
    ("New Relic Key", ("NRAK-", "NRJS-", "NRII-", "NRRA-", "NRSP-", "NRBR-", "NRIQ-"), "W18"),
    ("xAI Key", ("xai-",), "W40"),
    ("Perplexity Key", ("pplx-",), "A32"),
    ("Replicate Token", ("r8_",), "A32"),
    ("API Key", ("gsk_",), "A40"),
    ("API Key", ("hf_", "api_org_"), "A30"),
    ("AI Service Key", ("nvapi-", "pcsk_", "csk-", "tvly-", "jina_", "fc-", "e2b_", "lsv2_pt_", "lsv2_sk_"), "W30"),
    ("AI Service Key", ("fw_",), "A22"),
    ("AI Service Key", ("esecret_", "tgp_v1_", "wandb_v1_", "sk-lf-", "sess-", "apify_api_", "pa-"), "W36"),
    ("AI Service Key", ("sk_",), "H40"),
    ("Doppler Token", ("dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."), "B36"),
    ("age Secret Key", ("AGE-SECRET-KEY-1", "AGE-SECRET-KEY-PQ-1"), "U50"),
    ("Figma Token", ("figd_", "figdr_", "figo_"), "W30"),
    ("Postman API Key", ("PMAK-",), "W40"),
    ("CircleCI Token", ("CCIPAT_", "CCIPRJ_"), "W36"),
    ("Fly.io Token", ("fo1_", "fm1_", "fm1r_", "fm1a_", "fm2_"), "B36"),
    ("Cloudflare Token", ("cfut_", "cfat_", "cfk_", "v1.0-"), "W36"),
    ("Heroku API Key", ("HRKU-",), "W30"),
    ("Netlify Token", ("nfp_", "nfc_", "nfo_", "nfu_"), "W30"),
    ("Vercel Token", ("vcp_", "vci_", "vca_", "vcr_", "vck_"), "A24"),
    ("Supabase Token", ("sbp_", "sb_secret_"), "W30"),
    ("PlanetScale Token", ("pscale_tkn_", "pscale_pw_", "pscale_oauth_"), "B30"),
    ("Dropbox Token", ("sl.",), "B60"),
    ("Typeform Token", ("tfp_",), "B36"),
    ("Tailscale Key", ("tskey-",), "W20"),
    ("Pulumi Token", ("pul-",), "H40"),
    ("1Password Token", ("ops_eyJ",), "B40"),
    ("API Key", ("LTAI",), "A12"),
    ("API Key", ("AKID",), "A32"),
    ("Volcengine Access Key", ("AKLT", "AKAP"), "B24"),
    ("Baidu Access Key", ("ALTAK-", "ALTAK", "bce-v3/"), "B20"),
    ("JD Access Key", ("JDC_",), "U28"),
    ("DingTalk Secret", ("SEC",), "H60"),
    ("Feishu Token", ("t-g", "u-g"), "A26"),
    ("Airtable Token", ("pat",), "A14[.][0-9a-f]{60}"),
    ("HubSpot Token", ("pat-na1-", "pat-na2-", "pat-eu1-", "pat-ap1-"), "W32"),
    ("Contentful Token", ("CFPAT-",), "W40"),
    ("Dynatrace Token", ("dt0c01.", "dt0s01.", "dt0s02.", "dt0s16."), "B60"),
    ("EasyPost Key", ("EZAK", "EZTK"), "A50"),
    ("Flutterwave Key", ("FLWSECK-", "FLWSECK_TEST-"), "W20"),
    ("Plaid Token", ("access-sandbox-", "access-development-", "access-production-"), "W32"),
    ("Service Token", ("rdme_", "pnu_", "shippo_live_", "shippo_test_", "duffel_live_", "duffel_test_"), "W30"),
    ("Service Token", ("aio_", "sgp_", "sqp_", "squ_", "sqa_", "bkua_", "cflt", "napi_", "ddp_", "waka_"), "W28"),
    ("Service Token", ("ico-", "tk-us-", "sha256~", "fio-u-", "RGAPI-", "rnd_", "pdus+", "akab-", "s-s4t2ud-"), "W24"),
    ("LaunchDarkly Key", ("sdk-", "mob-"), "H8-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    ("Yandex Token", ("AQVN", "y0_"), "W36"),
    ("Extended Private Key", ("xprv", "yprv", "zprv", "tprv"), "A100"),
    ("Nostr Private Key", ("nsec1",), "A58"),
    ("Webhook Address", ("discord.com/api/webhooks/", "discordapp.com/api/webhooks/"), "B40"),
    ("Slack Token", ("hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/"), "B20"),
    ("Webhook Address", ("open.feishu.cn/open-apis/bot/v2/hook/", "open.larksuite.com/open-apis/bot/v2/hook/"), "W30"),
    ("Webhook Address", ("oapi.dingtalk.com/robot/send?access_token=",), "A40"),
    ("Webhook Address", ("qyapi.weixin.qq.com/cgi-bin/webhook/send?key=",), "W30"),
    ("Webhook Address", ("hooks.zapier.com/hooks/catch/", "webhook.office.com/webhookb2/"), "B12"),
)


def expression(row: Prefix) -> str:
    """The expression of a row; its one group is what follows the beginning."""
    _, beginnings, tail = row
    digits = len(tail[1:]) - len(tail[1:].lstrip("0123456789"))
    least, rest = tail[1 : 1 + digits], tail[1 + digits :]
    many = f"{{{least}}}" if rest else f"{{{least},1000}}+"
    starts = "|".join(beginning.translate(_ESCAPES) for beginning in beginnings)
    return rf"(?<![0-9A-Za-z])(?:{starts})({CLASSES[tail[0]]}{many}{rest})"


_ESCAPES = {ord(sign): "\\" + sign for sign in ".+$?/~"}
