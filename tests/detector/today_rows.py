"""Credentials of today's vendors, and harmless sentences that look like them; values as in fresh_rows.

The expressions were written beside FIRST and PLAIN. LATER and LATER_PLAIN were written afterwards, without a look at
the expressions; docs/decisions.md has the figures of that first look at them.
"""

import random

from tests.detector.fresh_rows import drawn, table

FIRST = table("today_first")

PLAIN = table("today_plain")

LATER = table("today_later")

LATER_PLAIN = table("today_later_plain")


VENDORS = (
    "acme adyen ahrefs aiven airbyte amplitude apollo appwrite astronomer attio backblaze bitly box braintree browserstack buttercms "
    "calendly carto census chargebee checkly chromatic clearbit cloudsmith codacy coda coveralls currents cypress dagster datocms depot "
    "directus drata envoy expo fauna fivetran freshdesk geocodio gitbook greenhouse groundcover hasura hevo hightouch iterable kandji "
    "keen knock kong lago lattice lever lokalise mandrill marqeta memberstack metabase mezmo mintlify mollie n8n northflank nylas "
    "omnisend optimizely oxylabs paperspace plausible portainer prismic productboard quay recurly redash rudderstack sanity scrapfly "
    "sendbird shodan shortcut smartsheet spacelift statuspage storyblok strapi svix tableau tatum travis ubidots unsplash vimeo "
    "wakatime webex xero yext zenrows"
)
FRAMES = """my {v} key {x}
{v} api key: {x}
the {v} token is {x}
{V}_TOKEN={x}
export {V}_SECRET='{x}'
{v} secret {x}
use {x} as the {v} key
{x} is the {v} token
for {v} we have the key {x}, please keep it
the key of the {v} sandbox is {x}
token for {v} (staging): {x}
{v} 的密钥是 {x}
{v} 的 key：{x}
{v} access token: `{x}`
"{v}ApiKey": "{x}"
header X-{v}-Key: {x}
I put the {v} key into .env: {x}
our {v} personal access token {x} expires in May"""
SHAPES = "<h32> <h40> <h64> <A20> <A24> <A32> <A40> <A48> <b32> <b43> <l32> <h8>-<h4>-<h4>-<h4>-<h12> <A16>"
PARTS = "_ - _live_ _sk_ _pat_ v1_"


def spoken(count: int) -> list[str]:
    """Sentences that name a vendor and a key of it, all parts drawn; four in ten keys have a prefix that no table has."""
    chance = random.Random(11)
    vendors, frames, shapes, parts = VENDORS.split(), FRAMES.split("\n"), SHAPES.split(), PARTS.split()
    rows = []
    for _ in range(count):
        value = chance.choice(shapes)
        if chance.random() < 0.4:
            value = (
                "".join(chance.choices("bcdfghjklmnprstvwxz", k=3)) + chance.choice(parts) + chance.choice(shapes[:8])
            )
        vendor = chance.choice(vendors)
        rows.append(chance.choice(frames).format(v=vendor, V=vendor.upper(), x=value))
    return drawn("\n".join(rows))
