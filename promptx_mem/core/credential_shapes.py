"""Credentials by their own shape: in commands, headers, variables and addresses, as hashes, and as vendors write them.

The rows are as in credential_words. A form without a mark is looked for where a text has a run of 27 characters.
"""

from promptx_mem.core.credential_words import CALL, MIXED, NO_VARIABLE, NOT_A_VALUE, SYMBOL, VALUE, Form

HEADER = (
    r"(?i:authorization[\"']?\s?[:=]\s?[\"']?(?:basic|bearer|token|apikey|digest|ssws"
    r"|key)\s)(?!(?i:base64|your|[a-z_]{1,20}_token))"
    r"(?=[a-z._~+/-]{0,64}[0-9A-Z=])(?![A-Z_]{1,64}(?![0-9A-Za-z]))([0-9A-Za-z._~+/=-]{8,}+)"
    r"|(?i:(?<![a-z])basic)\s(?=[0-9A-Z+/]{0,40}[a-z])(?=[0-9a-z+/]{0,40}[A-Z])("
    r"[0-9A-Za-z+/]{11,}={1,2}|[0-9A-Za-z+/]{24,})(?![0-9A-Za-z])"
    r"|(?i:set-cookie|cookie|jsessionid|phpsessid|sessdata|connect\.sid|sessionid)"
    r"[\"']?\s?[:=]\s?[\"']?(?:[\w.-]{1,40}=)?"
    r"(?=[A-Za-z%._-]{0,64}[0-9])([0-9A-Za-z%._-]{20,}+)"
)
_WORDS_BEFORE = r"[^\n|;]{0,160}?"
COMMAND = (
    rf"\b(?:curl|https?|wget|lftp)\b{_WORDS_BEFORE}\s(?:-[a-zA-Z]{{0,4}}u|-U|--"
    rf"(?:proxy-)?user|-a|--auth)[ =]?[\"']?"
    rf"[^\s:,\"'$<{{]{{0,64}}[:,]{NO_VARIABLE}([^\s\"'@$<{{]{{2,100}})"
    rf"|\b(?:mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mongo|mongosh|mongodump"
    rf"|sqlcmd)\b{_WORDS_BEFORE}\s(?:-p(?=\S)|-P\s|--password[= ])"
    rf"[\"']?{NO_VARIABLE}(?!-)(?![0-9]{{4,5}}(?![0-9A-Za-z]))([^\s\"']{{3,100}})"
    rf"|\b(?:sshpass\s{{1,3}}-p|redis-cli\b{_WORDS_BEFORE}\s(?:-a|--pass)|ldap(?:search"
    rf"|modify|add)\b{_WORDS_BEFORE}\s-w|(?:un)?zip\b{_WORDS_BEFORE}\s-P"
    rf"|7za?\b{_WORDS_BEFORE}\s-p(?=\S)|mosquitto_(?:pub|sub)\b{_WORDS_BEFORE}\s-P"
    rf"|openssl\b{_WORDS_BEFORE}\s(?:-k|-pass(?:in|out)?\spass:|-pass:)"
    rf"|ngrok\b{_WORDS_BEFORE}\s(?:add-)?authtoken|htpasswd\s-[a-zA-Z]{{0,3}}b"
    rf"[a-zA-Z]{{0,3}}\s\S{{1,60}}\s\S{{1,40}})\s?[\"']?{NO_VARIABLE}(?!-)("
    rf"[^\s\"'$<{{]{{3,100}})"
    rf"|\b[a-z]{{2,12}}\slogin\b{_WORDS_BEFORE}\s(?:-p|--password|--token)[ =]"
    rf"[\"']?{NO_VARIABLE}(?!-)([^\s\"']{{4,100}})"
    rf"|\s--?(?:password|passwd|pass|passphrase|http-password|ftp-password|token|auth-token"
    rf"|access-token|api-key|apikey|secret|client-secret|secret-key)"
    rf"[ =][\"']?{NOT_A_VALUE}(?:{MIXED}|{SYMBOL})({VALUE}{{5,200}}+){CALL}"
    r"|\b(?:smbclient|rpcclient|mount)\b[^\n|;]{0,160}?\s-U\s?[\"']?[\w.\\-]{1,40}%("
    r"[^\s\"']{4,100})"
    rf"|\b[a-z-]{{2,20}}\slogin\s(?:--?[a-z-]{{1,20}}\s){{0,3}}{MIXED}([0-9A-Za-z]{{30,200}}+)(?=\s|$)"
    r"|\bnet\suse\s(?:[A-Za-z*]:?\s)?(?:\\\\|//)[^\s:]{3,100}\s(?:/user:\S{1,60}\s)?(?![/*<$%])(\S{4,100})"
    r"|\becho\s{1,2}(?:-n\s)?[\"']?(?![$<{])(?:[\w-]{1,32}:)?([^\s\"'|]{4,64})"
    r"[\"']?\s?\|\s?(?:sudo\s(?:-S|chpasswd)|chpasswd)"
)
_NOT_SET = (
    r"(?!(?i:password|passwd|secret|changeme|example|null|none|true|false|required"
    r"|placeholder|string|todo|your\w*|getpass|os|env|settings|config|self|args|user\w*"
    r"|hidden)(?![0-9a-z]))"
)
VARIABLE = (
    rf"(?<![0-9A-Za-z])[A-Z0-9_]{{0,40}}(?:PASSWORD|PASSWD|PASSPHRASE|_PWD|_PASS|SSHPASS"
    rf"|REDISCLI_AUTH)=[\"']?{NO_VARIABLE}{_NOT_SET}([^\s\"'$<{{]{{4,100}})"
    rf"|(?i:(?:^|[;&?\s])(?:password|pwd)=){NO_VARIABLE}{_NOT_SET}([^\s;&\"'$<{{"
    rf"(),]{{4,100}})(?![(\[])(?=[;&])"
    r"|\bmachine\s{1,3}\S{1,100}\s{1,3}login\s{1,3}\S{1,100}\s{1,3}password\s{1,3}(?!"
    r"[$<{])(\S{3,100})"
    r"|(?<![0-9A-Za-z.-])[0-9A-Za-z.*-]{1,80}:(?:[0-9]{4,5}|\*):[\w*-]{1,40}:[\w*-]{1,40}:"
    rf"{MIXED}([^\s:]{{5,100}}+)(?=\s|$)"
)
HASHES = (
    r"\$2[abxy]?\$[0-9]{2}\$[./0-9A-Za-z]{50,60}|\$(?:apr1|[156y]|gy|7)\$(?:rounds="
    r"[0-9]{1,9}\$)?[./0-9A-Za-z$]{1,40}\$[./0-9A-Za-z]{20,128}"
    r"|\$argon2(?:id|i|d)\$v=[0-9]{1,3}\$[mtp=0-9,]{5,40}\$[0-9A-Za-z+/]{8,}|pbkdf2_sha"
    r"(?:1|256|512)\$[0-9]{2,8}\$\S{4,60}\$\S{20,}"
    r"|\{S?SHA(?:256|512)?\}[0-9A-Za-z+/=]{24,}"
)

SHAPES: tuple[Form, ...] = (
    (
        "Password",
        ("password", "passwd", "passphrase", "_pwd", "_pass", "pwd=", "sshpass", "redisc", ":543", ":643", ":*:"),
        VARIABLE,
    ),
    (
        "Password",
        (
            "curl",
            "http",
            "wget",
            "lftp",
            "mysql",
            "maria",
            "mongo",
            "sqlcmd",
            "sshpass",
            "redis-cli",
            "ldap",
            "zip",
            "7z",
            "mosquitto",
            "openssl",
            "ngrok",
            "htpasswd",
            " login",
            " --pass",
            " -pass",
            "--token",
            "-token",
            "-key",
            "apikey",
            "secret",
            "net use",
            "smbclient",
            "rpcclient",
            "mount",
            "sudo -s",
            "chpasswd",
        ),
        COMMAND,
    ),
    ("Secret", ("authorization", "basic ", "cookie", "sessionid", "sessid", "sessdata", "connect.sid"), HEADER),
    (
        "Password Hash",
        (
            "$2",
            "$apr1$",
            "$1$",
            "$5$",
            "$6$",
            "$y$",
            "$gy$",
            "$7$",
            "$argon2",
            "pbkdf2_sha",
            "sha}",
            "sha256}",
            "sha512}",
        ),
        HASHES,
    ),
    ("Private Key", ("private key",), r"-----BEGIN [0-9A-Z ]{0,40}PRIVATE KEY"),
    ("Private Key", ("putty-user-key",), r"PuTTY-User-Key-File-[0-9]:"),
    # An empty user, and characters in a password that the library's expression does not take.
    ("Basic Auth Credentials", ("://",), r"://[^\s/:@?#\"'<>]{0,64}:(?![$<{*]|%s)[^\s/@\"'<>]{2,128}@[0-9A-Za-z\[]"),
    (
        "Azure Storage Account access key",
        ("accountkey=", "sharedaccesskey="),
        r"(?:Account|SharedAccess)Key=([0-9A-Za-z+/]{40,}={0,2})",
    ),
    ("Azure SAS Signature", ("sig=",), r"[?&;]sig=(?=[A-Za-z%]{0,60}[0-9])([0-9A-Za-z%+/=_-]{30,})"),
    (
        "Azure Client Secret",
        ("q~",),
        r"(?<![0-9A-Za-z_~.-])[0-9A-Za-z_~.-]{3}[0-9]Q~([0-9A-Za-z_~.-]{30,40})(?![0-9A-Za-z_~.-])",
    ),
    ("Azure API Key", ("jqqj99", "azdo"), r"[0-9A-Za-z]{52}JQQJ99[0-9A-Za-z]{26}|[0-9A-Za-z]{76}AZDO[0-9A-Za-z]{4}"),
    (
        "Slack Token",
        ("xox", "xapp-"),
        r"(?<![0-9A-Za-z])(?:xox[a-z]|xapp)-(?=[A-Za-z-]{0,60}[0-9])[0-9A-Za-z-]{20,255}",
    ),
    (
        "API Key",
        ("sk-",),
        (
            r"(?<![0-9A-Za-z_-])(?:sk-(?:ant|proj|or|svcacct|admin)-(?=[A-Za-z_-]{0,60}[0-9])("
            r"[0-9A-Za-z_-]{20,255})"
            r"|sk-(?=[A-Za-z]{0,60}[0-9])[0-9A-Za-z]{20,255})"
        ),
    ),
    ("TOTP Secret", ("otpauth",), r"otpauth(?:-migration)?://[^\s]{0,200}?(?:secret|data)=([0-9A-Za-z%+/=]{8,})"),
    ("Mapbox Token", ("sk.eyj",), r"(?<![0-9A-Za-z])sk\.eyJ[0-9A-Za-z_-]{20,}\.[0-9A-Za-z_-]{16,}"),
    ("Terraform Token", (".atlasv1.",), r"[0-9A-Za-z]{10,16}\.atlasv1\.([0-9A-Za-z_-]{40,})"),
    (
        "Vault Token",
        ("vault",),
        (
            r"(?i:vault)[^\n]{0,40}?(?<![0-9A-Za-z_.])s\.((?=[A-Za-z]{0,23}[0-9])[0-9A-Za-z]{24})"
            r"(?![0-9A-Za-z])"
        ),
    ),
    ("Registry Login", ("_auth",), rf":_(?:auth|authToken|password)=[\"']?{NO_VARIABLE}([^\s\"'$<{{]{{16,200}})"),
    ("Registry Login", ('"auth"',), r"\"auth\"\s?:\s?\"([0-9A-Za-z+/]{16,}={0,2})\""),
    ("Okta Token", ("ssws",), r"SSWS\s00[0-9A-Za-z_-]{38,}"),
    ("Fly.io Token", ("flyv1",), r"FlyV1 fm[0-9][a-z]?_[0-9A-Za-z+/=_,]{20,}"),
    (
        "1Password Secret Key",
        ("a3-",),
        r"(?<![0-9A-Za-z])A3-[0-9A-Z]{6}-(?:[0-9A-Z]{11}|[0-9A-Z]{6}-[0-9A-Z]{5})(?:-[0-9A-Z]{5}){3}",
    ),
    ("New Relic Key", ("nral",), r"(?<![0-9A-Za-z])[0-9a-f]{36}NRAL"),
    (
        "Twitter Bearer Token",
        ("aaaaaaaaaaaaaaa",),
        r"(?<![0-9A-Za-z+/=,])A{15,30}([0-9A-Za-z%]{30,200})(?![0-9A-Za-z+/=])",
    ),
)

UNMARKED: tuple[tuple[str, str], ...] = (
    # A bot's number and 35 characters of both cases.
    (
        "Telegram Bot Token",
        (
            r"(?<![0-9A-Za-z])[0-9]{8,10}:(?=[0-9a-z_-]{0,34}[A-Z])(?=[0-9A-Z_-]{0,34}[a-z])"
            r"[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])"
        ),
    ),
    (
        "Discord Bot Token",
        (
            r"(?<![0-9A-Za-z_.-])[MNO][0-9A-Za-z_-]{22,27}\.[0-9A-Za-z_-]{6}\.[0-9A-Za-z_-]{27,40}"
            r"(?![0-9A-Za-z_-])"
        ),
    ),
    ("Mailgun API Key", r"(?<![0-9A-Za-z-])[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![0-9A-Za-z-])"),
    ("Asana Token", r"(?<![0-9A-Za-z])[0-9]/[0-9]{16}(?:/[0-9]{16})?:[0-9a-f]{32}(?![0-9a-f])"),
    ("Zhipu Key", r"(?<![0-9A-Za-z.])[0-9a-f]{32}\.(?=[0-9a-z]{0,15}[A-Z])[0-9A-Za-z]{16}(?![0-9A-Za-z.])"),
    (
        "Bitcoin Private Key",
        (
            r"(?<![0-9A-Za-z+/=_-])(?:5[HJK][1-9A-HJ-NP-Za-km-z]{49}|[KL][1-9A-HJ-NP-Za-km-z]{51})"
            r"(?![0-9A-Za-z+/=_-])"
        ),
    ),
    ("Stellar Secret Key", r"(?<![0-9A-Za-z])S(?=[A-Z]{0,54}[2-7])[A-Z2-7]{55}(?![0-9A-Za-z])"),
)
