"""Documents that machines write: every function below a line of dashes is one shape, named KIND_SHAPE.

A shape takes a random generator and the files at hand, and gives one line or one whole text.
"""

import base64
import gzip
import json
import math
import random
import string
import struct
import uuid
import zlib
from datetime import datetime, timedelta, timezone

from documents import Document

LENGTH = 14_000  # characters of one document
DOCUMENTS = {"fit": 3, "test": 2}  # documents of one shape
# Shapes that the fit never sees: two of each kind that has many, one of the addresses.
TEST_ONLY = """logs_cloud logs_kernel uuid_hex_pointer uuid_hex_ulid base64_pem base64_sparse csv_nums_epochs csv_nums_semicolons
tables_psql tables_top urls_media emoji_commits emoji_reactions""".split()


class Vocabulary(list):
    """Words of which each side has its own half: a document of the test says other things than one of the fit."""

    def __init__(self, words):
        super().__init__(words)
        self.of = {"fit": self[::2], "test": self[1::2]}


LEVELS = ["INFO", "INFO", "INFO", "DEBUG", "WARN", "ERROR"]
VERBS = Vocabulary("""started stopped accepted rejected closed opened retried flushed loaded skipped scheduled evicted compacted
resumed drained rotated promoted expired merged throttled archived restored migrated synced cancelled validated""".split())
NOUNS = Vocabulary("""connection request session worker partition snapshot listener transaction consumer replica cache upload checkpoint token
bucket queue volume schema certificate cursor batch tenant webhook index mailbox pipeline lease invoice""".split())
PARTS = Vocabulary("""auth billing gateway scheduler storage search ingest notifier metrics catalog orders payments edge
replica planner inventory router sessions shipping reports proxy compiler analytics identity messaging scraper ledger""".split())
PATHS = Vocabulary("""users orders items search login cart health metrics assets/app.js images/logo.png
v2/accounts reports/daily docs/index.html api/events settings/profile feed.xml fonts/inter.woff2 v1/invoices blog/archive static/style.css""".split())
NAMES = Vocabulary("""alice bob carol dave erin frank grace heidi ivan judy mallory niaj olivia peggy rupert sybil trent
victor walter anya bruno chen dmitri elena fatima george hana ivo jonas kavya luis mika noor omar""".split())
AGENTS = ["Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "curl/8.5.0", "python-requests/2.32.3",
          "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36", "kube-probe/1.30"]


class Machine:
    """Random values of the sorts that machines print."""

    def __init__(self, rng: random.Random, words: Vocabulary, files: Vocabulary, side: str):
        self.rng, self.words, self.files, self.side = rng, words, files, side
        self.now = datetime(2024, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=rng.randrange(60_000_000))

    def __getattr__(self, name):
        return getattr(self.rng, name)

    def halved(self, items):
        return items.of[self.side] if isinstance(items, Vocabulary) else items

    def choice(self, items):
        return self.rng.choice(self.halved(items))

    def sample(self, items, size):
        return self.rng.sample(self.halved(items), size)

    def emoji(self, mostly=()):
        """Any of all emoji; with a preference, one of those in two of three cases."""
        return self.choice(mostly if mostly and self.random() < 2 / 3 else EMOJI)

    def tick(self) -> datetime:
        self.now += timedelta(seconds=self.expovariate(1 / 3))
        return self.now

    def hex(self, digits: int) -> str:
        return f"{self.getrandbits(4 * digits):0{digits}x}"

    def uuid(self) -> str:
        return str(uuid.UUID(int=self.getrandbits(128), version=4))

    def ip(self) -> str:
        return ".".join(str(self.randint(1, 254)) for _ in range(4))

    def event(self) -> str:
        return f"{self.choice(NOUNS)} {self.choice(VERBS)}"

    def sentence(self, least=4, most=12) -> str:
        return " ".join(self.choice(self.words) for _ in range(self.randint(least, most)))

    def bytes(self, least=300, most=6000) -> bytes:
        """A piece of a real binary file."""
        content = self.choice(self.files)
        size = min(self.randint(least, most), len(content))
        start = self.randrange(len(content) - size + 1)
        return content[start : start + size]


# --- logs

def logs_nginx(m):
    return f'{m.ip()} - {m.choice(["-", m.choice(NAMES)])} [{m.tick():%d/%b/%Y:%H:%M:%S +0000}] "{m.choice(["GET", "POST", "PUT"])} /{m.choice(PATHS)}?id={m.randrange(10**6)} HTTP/1.1" {m.choice([200, 200, 304, 404, 500])} {m.randrange(90000)} "-" "{m.choice(AGENTS)}"'

def logs_syslog(m):
    return f"{m.tick():%b %d %H:%M:%S} host-{m.randrange(40)} {m.choice(['sshd', 'systemd', 'CRON', 'kernel', 'dhclient'])}[{m.randrange(40000)}]: {m.sentence(5, 12)} from {m.ip()} port {m.randrange(65536)}"

def logs_tracing(m):
    return f"{m.tick().isoformat()} {m.choice(LEVELS):>5} {m.choice(PARTS)}::{m.choice(NOUNS)}: {m.event()} id={m.uuid()} elapsed_ms={m.randrange(4000)} attempt={m.randrange(5)}"

def logs_json(m):
    return json.dumps({"ts": m.tick().timestamp(), "level": m.choice(LEVELS).lower(), "logger": m.choice(PARTS), "msg": m.event(), "trace_id": m.hex(32), "span_id": m.hex(16), "status": m.choice([200, 404, 503]), "latency": round(m.random(), 5)})

def logs_logfmt(m):
    return f'time="{m.tick():%Y-%m-%dT%H:%M:%SZ}" level={m.choice(LEVELS).lower()} msg="{m.sentence(3, 8)}" component={m.choice(PARTS)} pod={m.choice(PARTS)}-{m.hex(10)}-{m.hex(5)} bytes={m.randrange(10**7)} duration={m.random() * 9:.4f}s'

def logs_klog(m):
    return f"{m.choice('IIWE')}{m.tick():%m%d %H:%M:%S.%f} {m.randrange(99999):7} {m.choice(NOUNS)}_controller.go:{m.randrange(900)}] \"{m.event().title()}\" pod=\"kube-system/{m.choice(PARTS)}-{m.hex(9)}\" err=\"{m.sentence(3, 7)}\""

def logs_log4j(m):
    return f"{m.tick():%Y-%m-%d %H:%M:%S,%f} {m.choice(LEVELS):5} [pool-{m.randrange(9)}-thread-{m.randrange(64)}] org.example.{m.choice(PARTS)}.{m.choice(NOUNS).title()}Service - {m.sentence()} ({m.randrange(10**5)} ms)"

def logs_java_trace(m):
    frames = "\n".join(f"\tat com.example.{m.choice(PARTS)}.{m.choice(NOUNS).title()}Handler.{m.choice(VERBS)}({m.choice(NOUNS).title()}Handler.java:{m.randrange(800)})" for _ in range(m.randint(4, 14)))
    return f"{m.tick():%H:%M:%S.%f} ERROR java.lang.IllegalStateException: {m.sentence(3, 8)}\n{frames}"

def logs_python_trace(m):
    frames = "\n".join(f'  File "/srv/app/{m.choice(PARTS)}/{m.choice(NOUNS)}.py", line {m.randrange(900)}, in {m.choice(VERBS)}_{m.choice(NOUNS)}\n    return self.{m.choice(NOUNS)}.{m.choice(VERBS)}({m.choice(NOUNS)}, timeout={m.randrange(60)})' for _ in range(m.randint(3, 9)))
    return f"{m.choice(LEVELS)}:{m.choice(PARTS)}:{m.event()}\nTraceback (most recent call last):\n{frames}\nValueError: {m.sentence(3, 9)}: {m.hex(8)}"

def logs_journal(m):
    return f"{m.tick():%b %d %H:%M:%S} {m.choice(PARTS)} systemd[1]: {m.choice(['Started', 'Stopping', 'Reached target', 'Finished'])} {m.choice(PARTS)}-{m.choice(NOUNS)}.service - {m.sentence(2, 6)}."

def logs_postgres(m):
    return f"{m.tick():%Y-%m-%d %H:%M:%S.%f} UTC [{m.randrange(99999)}] {m.choice(NAMES)}@{m.choice(PARTS)} LOG:  duration: {m.random() * 900:.3f} ms  statement: SELECT {m.choice(NOUNS)}_id, created_at FROM {m.choice(NOUNS)}s WHERE {m.choice(NOUNS)}_id = {m.randrange(10**6)} ORDER BY 2 LIMIT {m.randrange(100)}"

def logs_haproxy(m):
    times = "/".join(str(m.randrange(900)) for _ in range(5))
    return f"haproxy[{m.randrange(30000)}]: {m.ip()}:{m.randrange(65536)} [{m.tick():%d/%b/%Y:%H:%M:%S.%f}] http-in {m.choice(PARTS)}/srv{m.randrange(9)} {times} {m.choice([200, 301, 502])} {m.randrange(99999)} - - ---- {m.randrange(99)}/{m.randrange(99)}/{m.randrange(9)}/{m.randrange(9)}/0 0/0"

def logs_kernel(m):
    return f"[{m.random() * 90000:12.6f}] {m.choice(['usb 1-2', 'eth0', 'nvme0n1', 'EXT4-fs (sda1)', 'audit: type=1400'])}: {m.sentence(3, 8)} 0x{m.hex(8)} irq {m.randrange(200)}"

def logs_build(m):
    return m.choice([f"   Compiling {m.choice(PARTS)}-{m.choice(NOUNS)} v{m.randrange(9)}.{m.randrange(30)}.{m.randrange(20)}", f"[{m.randrange(900):3}/900] Building CXX object src/{m.choice(PARTS)}/CMakeFiles/{m.choice(NOUNS)}.dir/{m.choice(VERBS)}.cc.o",
                     f"warning: unused variable: `{m.choice(NOUNS)}`\n  --> src/{m.choice(PARTS)}.rs:{m.randrange(900)}:{m.randrange(80)}"])

def logs_tests(m):
    return f"tests/test_{m.choice(PARTS)}.py::Test{m.choice(NOUNS).title()}::test_{m.choice(NOUNS)}_{m.choice(VERBS)}[{m.choice(NAMES)}-{m.randrange(99)}] {m.choice(['PASSED', 'PASSED', 'FAILED', 'SKIPPED'])} [{m.randrange(101):3}%]"

def logs_git(m):
    return f"commit {m.hex(40)}\nAuthor: {m.choice(NAMES).title()} <{m.choice(NAMES)}@example.org>\nDate:   {m.tick():%a %b %d %H:%M:%S %Y} +0200\n\n    {m.sentence(4, 9)}\n"

def logs_redis(m):
    return f"{m.randrange(30000)}:M {m.tick():%d %b %Y %H:%M:%S.%f} * {m.choice(['DB saved on disk', 'Background saving started by pid', 'Synchronization with replica succeeded', 'Starting automatic rewriting of AOF on growth'])} {m.randrange(10**5)}"

def logs_cloud(m):
    return f"2 {m.randrange(10**11, 10**12)} eni-{m.hex(17)} {m.ip()} {m.ip()} {m.randrange(65536)} {m.randrange(65536)} 6 {m.randrange(99)} {m.randrange(10**5)} {int(m.tick().timestamp())} {int(m.tick().timestamp())} {m.choice(['ACCEPT', 'REJECT'])} OK"

def logs_packages(m):
    return f"{m.tick():%Y-%m-%d %H:%M:%S} status {m.choice(['installed', 'half-configured', 'unpacked', 'triggers-pending'])} lib{m.choice(NOUNS)}-{m.choice(PARTS)}{m.randrange(9)}:amd64 {m.randrange(9)}.{m.randrange(40)}-{m.randrange(9)}+deb12u{m.randrange(9)}"

def logs_chat(m):
    return f"[{m.tick():%H:%M}] <{m.choice(NAMES)}> {m.sentence(3, 16)}"


# --- identifiers

def uuid_hex_uuid(m):
    return m.uuid()

def uuid_hex_uuid_json(m):
    return json.dumps({"id": m.uuid(), "parent_id": m.uuid()}) + ","

def uuid_hex_uuid_upper(m):
    return "{" + m.uuid().upper() + "}"

def uuid_hex_sha256(m):
    return m.hex(64)

def uuid_hex_sums(m):
    return f"{m.hex(64)}  {m.choice(PARTS)}/{m.choice(NOUNS)}-{m.randrange(99)}.tar.gz"

def uuid_hex_md5(m):
    return f"{m.hex(32)}  usr/share/{m.choice(PARTS)}/{m.choice(NOUNS)}"

def uuid_hex_commits(m):
    return f"{m.hex(40)} {m.choice(['commit', 'tree', 'blob'])} {m.randrange(9999)}"

def uuid_hex_dump(m):
    data = m.bytes(16, 16)
    return f"{m.randrange(2**24):08x}  {data[:8].hex(' ')}  {data[8:].hex(' ')}  |{''.join(chr(b) if 32 <= b < 127 else '.' for b in data)}|"

def uuid_hex_xxd(m):
    return f"{m.randrange(2**20):08x}: {m.randbytes(16).hex(' ', 2)}"

def uuid_hex_array(m):
    return "    " + ", ".join(f"0x{m.hex(2)}" for _ in range(12)) + ","

def uuid_hex_mac(m):
    return f"{m.randbytes(6).hex(':')} {m.ip()}"

def uuid_hex_object(m):
    return f'ObjectId("{m.hex(24)}"),'

def uuid_hex_pointer(m):
    return f"0x{m.hex(12).zfill(16)} <{m.choice(NOUNS)}+0x{m.hex(3)}>"

def uuid_hex_colours(m):
    return f"--{m.choice(NOUNS)}-{m.randrange(900)}: #{m.hex(6)};"

def uuid_hex_ulid(m):
    return "01" + "".join(m.choices("0123456789ABCDEFGHJKMNPQRSTVWXYZ", k=24))

def uuid_hex_ipv6(m):
    return ":".join(m.hex(4) for _ in range(8)) + "/64"


# --- base64

def wrapped(data: bytes, width: int = 76) -> str:
    text = base64.b64encode(data).decode()
    return "\n".join(text[i : i + width] for i in range(0, len(text), width))

def base64_random(m):
    return base64.b64encode(m.randbytes(9000)).decode()

def base64_random_wrapped(m):
    return wrapped(m.randbytes(9000))

def base64_binary(m):
    return base64.b64encode(m.bytes(6000, 9000)).decode()

def base64_binary_wrapped(m):
    return wrapped(m.bytes(6000, 9000), 64)

def base64_compressed(m):
    return base64.b64encode(gzip.compress(m.sentence(3000, 3000).encode(), mtime=0)).decode()

def base64_url_safe(m):
    return "\n".join(base64.urlsafe_b64encode(m.randbytes(m.randint(16, 64))).decode().rstrip("=") for _ in range(180))

def base64_tokens(m):
    part = lambda value: base64.urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).decode().rstrip("=")
    return "\n".join(".".join([part({"alg": "RS256", "typ": "JWT", "kid": m.hex(8)}), part({"sub": m.uuid(), "iat": m.randrange(2**31), "scope": m.choice(NOUNS)}), base64.urlsafe_b64encode(m.randbytes(256)).decode().rstrip("=")]) for _ in range(20))

def base64_text(m):
    return base64.b64encode(m.sentence(1400, 1400).encode()).decode()

def base64_json(m):
    return base64.b64encode("\n".join(logs_json(m) for _ in range(40)).encode()).decode()

def base64_pem(m):
    return "\n".join(f"-----BEGIN CERTIFICATE-----\n{wrapped(b'0' + bytes([130, 5, 11, 48, 130, 3, 243, 160, 3, 2, 1, 2, 2]) + m.randbytes(1200), 64)}\n-----END CERTIFICATE-----" for _ in range(8))

def image(m, side=64) -> bytes:
    """A real PNG: smooth colours with some noise."""
    rows = b"".join(b"\0" + bytes(min(255, int(127 + 90 * math.sin(x / 9 + y / 14 + c)) + m.randrange(6)) for x in range(side) for c in range(3)) for y in range(side))
    chunk = lambda tag, data: struct.pack(">I", len(data)) + tag + data + struct.pack(">I", zlib.crc32(tag + data))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")

def base64_image(m):
    return "data:image/png;base64," + base64.b64encode(image(m)).decode()

def base64_images_html(m):
    return "\n".join(f'<img alt="{m.choice(NOUNS)}" src="data:image/png;base64,{base64.b64encode(image(m, 16)).decode()}">' for _ in range(20))

def base64_floats(m):
    return base64.b64encode(b"".join(struct.pack("<f", m.gauss(0, 0.05)) for _ in range(2200))).decode()

def base64_integers(m):
    return base64.b64encode(b"".join(struct.pack("<I", m.randrange(60_000)) for _ in range(2200))).decode()

def base64_sparse(m):
    return base64.b64encode(b"".join(bytes(m.randrange(9)) + m.randbytes(m.randrange(1, 4)) for _ in range(1300))).decode()

def base64_keys(m):
    head = b"\0\0\0\x0bssh-ed25519\0\0\0 "
    return "\n".join(f"ssh-ed25519 {base64.b64encode(head + m.randbytes(32)).decode()} {m.choice(NAMES)}@{m.choice(PARTS)}" for _ in range(150))

def base64_integrity(m):
    return "\n".join(f'      "integrity": "sha512-{base64.b64encode(m.randbytes(64)).decode()}",' for _ in range(140))


# --- numbers

def csv_nums_thousandths(m):
    return ",".join(f"{m.random() * 1000:.3f}" for _ in range(8))

def csv_nums_integers(m):
    return ",".join(str(m.randrange(10 ** m.randint(1, 6))) for _ in range(10))

def csv_nums_full(m):
    return ",".join(repr(m.gauss(0, 1)) for _ in range(5))

def csv_nums_exponents(m):
    return " ".join(f"{m.gauss(0, 1) * 10 ** m.randint(-9, 9):.6e}" for _ in range(6))

def csv_nums_semicolons(m):
    return ";".join(f"{m.random() * 100:.2f}".replace(".", ",") for _ in range(9))

def csv_nums_tabs(m):
    return "\t".join(f"{m.randrange(100000) / 10 ** m.randrange(4):g}" for _ in range(9))

def csv_nums_series(m):
    return f"{m.tick():%Y-%m-%d},{m.random() * 300:.2f},{m.random() * 300:.2f},{m.random() * 300:.2f},{m.randrange(10**8)}"

def csv_nums_epochs(m):
    return f"{int(m.tick().timestamp() * 1000)},{m.randrange(100)},{m.random():.4f},{m.choice('01')}"

def csv_nums_places(m):
    return f"{m.randrange(10**6)},{m.uniform(-90, 90):.6f},{m.uniform(-180, 180):.6f}"

def csv_nums_quoted(m):
    return ",".join(f'"{m.randrange(10**5)}"' for _ in range(7))

def csv_nums_matrix(m):
    return "[" + ", ".join(f"{m.gauss(0, 1):7.4f}" for _ in range(8)) + "],"

def csv_nums_thousands(m):
    return "  ".join(f"{m.randrange(10**7):>12,}" for _ in range(6))

def csv_nums_bits(m):
    return " ".join(m.choice("01") for _ in range(32))

def csv_nums_embedding(m):
    return "[" + ",".join(f"{m.gauss(0, 0.03):.8f}" for _ in range(24)) + "]"


# --- structured records

def record(m) -> dict:
    return {"id": m.uuid(), "user": {"name": m.choice(NAMES), "score": round(m.random() * 100, 3), "active": m.random() < 0.5}, "tags": m.sample(NOUNS, 3), "counts": [m.randrange(9999) for _ in range(4)], "parent": None}

def json_dense_records(m):
    return json.dumps([record(m) for _ in range(70)], separators=(",", ":"))

def json_dense_points(m):
    return json.dumps({"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [[[round(m.uniform(-180, 180), 5), round(m.uniform(-90, 90), 5)] for _ in range(30)]]}, "properties": {"name": m.choice(PARTS)}} for _ in range(20)]}, separators=(",", ":"))

def json_dense_calls(m):
    return json.dumps([{"id": f"call_{m.hex(24)}", "type": "function", "function": {"name": f"{m.choice(VERBS)}_{m.choice(NOUNS)}", "arguments": json.dumps({"query": m.sentence(3, 9), "limit": m.randrange(50), "path": f"src/{m.choice(PARTS)}/{m.choice(NOUNS)}.py"})}} for _ in range(60)], separators=(",", ":"))

def json_dense_schemas(m):
    return json.dumps([{"name": f"{m.choice(VERBS)}_{m.choice(NOUNS)}", "description": m.sentence(8, 20), "parameters": {"type": "object", "properties": {m.choice(NOUNS): {"type": m.choice(["string", "integer", "boolean"]), "description": m.sentence(4, 9)} for _ in range(4)}, "required": [m.choice(NOUNS)]}} for _ in range(30)], separators=(",", ":"))

def json_dense_metrics(m):
    return json.dumps({"status": "success", "data": {"result": [{"metric": {"__name__": f"{m.choice(PARTS)}_{m.choice(NOUNS)}s_total", "instance": f"{m.ip()}:9090"}, "values": [[int(m.tick().timestamp()), str(m.randrange(10**6))] for _ in range(30)]} for _ in range(20)]}}, separators=(",", ":"))

def json_dense_lines(m):
    return "\n".join(json.dumps(record(m)) for _ in range(60))

def sql_inserts(m):
    return f"INSERT INTO {m.choice(NOUNS)}s (id, name, score, created_at) VALUES ({m.randrange(10**6)}, '{m.choice(NAMES)}', {m.random() * 100:.2f}, '{m.tick():%Y-%m-%d %H:%M:%S}');"

def sql_queries(m):
    return f"SELECT a.{m.choice(NOUNS)}_id, COUNT(*) AS total, AVG(b.{m.choice(NOUNS)}_size)\nFROM {m.choice(PARTS)}.{m.choice(NOUNS)}s a\nLEFT JOIN {m.choice(NOUNS)}s b ON a.id = b.{m.choice(NOUNS)}_id\nWHERE a.created_at > '{m.tick():%Y-%m-%d}' AND b.status IN ('{m.choice(VERBS)}', '{m.choice(VERBS)}')\nGROUP BY 1\nHAVING COUNT(*) > {m.randrange(99)};\n"

def sql_tables(m):
    columns = ",\n".join(f"    {m.choice(NOUNS)}_{m.choice(VERBS)} {m.choice(['BIGINT NOT NULL', 'VARCHAR(255)', 'TIMESTAMP WITH TIME ZONE', 'NUMERIC(10, 2) DEFAULT 0'])}" for _ in range(6))
    return f"CREATE TABLE IF NOT EXISTS {m.choice(PARTS)}_{m.choice(NOUNS)} (\n    id SERIAL PRIMARY KEY,\n{columns}\n);\nCREATE INDEX idx_{m.choice(NOUNS)} ON {m.choice(PARTS)} ({m.choice(NOUNS)});\n"

def cells(m, widths):
    return [m.choice([m.choice(NAMES), m.choice(NOUNS), str(m.randrange(10**5)), f"{m.random() * 100:.2f}", "", "-"])[:w].ljust(w) for w in widths]

def tables_markdown(m):
    return "| " + " | ".join(cells(m, [8, 12, 10, 9, 6])) + " |"

def tables_markdown_tight(m):
    return "|" + "|".join(c.strip() for c in cells(m, [8, 12, 10, 9, 6])) + "|"

def tables_psql(m):
    return " " + " | ".join(cells(m, [10, 14, 8, 20]))

def tables_grid(m):
    widths = [9, 13, 7, 11]
    return "+" + "+".join("-" * (w + 2) for w in widths) + "+\n| " + " | ".join(cells(m, widths)) + " |"

def tables_boxes(m):
    widths = [9, 13, 7, 11]
    return "├" + "┼".join("─" * (w + 2) for w in widths) + "┤\n│ " + " │ ".join(cells(m, widths)) + " │"

def tables_columns(m):
    return "".join(cells(m, [16, 24, 12, 12, 10]))

def tables_tabs(m):
    return "\t".join(c.strip() for c in cells(m, [16, 24, 12, 12, 10]))

def tables_top(m):
    return f"{m.randrange(40000):7} {m.choice(NAMES):8} 20   0 {m.randrange(10**7):8} {m.randrange(10**6):7} {m.randrange(10**5):6} S {m.random() * 100:5.1f} {m.random() * 20:5.1f} {m.randrange(999):4}:{m.random() * 60:05.2f} {m.choice(PARTS)}"


# --- addresses

def urls_plain(m):
    return f"https://www.{m.choice(m.words).lower()}{m.choice(NOUNS)}.{m.choice(['com', 'org', 'net', 'io', 'de', 'co.uk'])}/{m.choice(PATHS)}/{m.choice(m.words).lower()}-{m.choice(m.words).lower()}-{m.randrange(10**5)}"

def urls_query(m):
    return f"https://{m.choice(PARTS)}.example.com/{m.choice(PATHS)}?q={m.choice(m.words)}+{m.choice(m.words)}&page={m.randrange(99)}&sort={m.choice(VERBS)}&utm_source={m.choice(NOUNS)}&session={m.hex(16)}"

def urls_signed(m):
    return f"https://{m.choice(PARTS)}-bucket.storage.example.com/{m.uuid()}/{m.choice(NOUNS)}.pdf?X-Expires={m.randrange(9999)}&X-Credential={m.hex(20).upper()}%2F{m.tick():%Y%m%d}%2Fus-east-1&X-Signature={m.hex(64)}"

def urls_repository(m):
    return f"https://git.example.org/{m.choice(NAMES)}/{m.choice(PARTS)}-{m.choice(NOUNS)}/blob/{m.hex(40)}/src/{m.choice(PARTS)}/{m.choice(NOUNS)}.rs#L{m.randrange(900)}"

def urls_media(m):
    key = "".join(m.choices(string.ascii_letters + string.digits + "-_", k=11))
    return f"https://video.example.com/watch?v={key}&t={m.randrange(900)}s"

FOREIGN = Vocabulary("""検索エンジン 天気 поиск новости größe straße 天气预报 地图 ニュース 電車の時刻表 расписание погода übersetzung fußball 新闻 火车票
سعر الطقس ราคา ข่าว खबर मौसम 날씨 지도 été français niño mañana θέση καιρός""".split())

def urls_escaped(m):
    return f"https://search.example.com/{m.choice(PATHS)}?q=" + "".join(f"%{b:02X}" for b in m.choice(FOREIGN).encode()) + f"&hl={m.choice(['ja', 'ru', 'de', 'zh'])}"

def urls_paths(m):
    return "/" + "/".join(m.choice(["usr", "var", "home", "srv", "lib", m.choice(NOUNS), m.choice(PARTS), m.choice(m.words).lower()]) for _ in range(m.randint(3, 8))) + f"/{m.choice(NOUNS)}_{m.randrange(99)}.{m.choice(['so', 'py', 'json', 'log', 'tar.gz'])}"


# --- emoji

def span(*ranges: tuple[int, int]) -> list[str]:
    return [chr(c) for first, last in ranges for c in range(first, last + 1)]


FACES = span((0x1F600, 0x1F644), (0x1F910, 0x1F917), (0x1F920, 0x1F92F), (0x1F970, 0x1F976), (0x1F97A, 0x1F97A), (0x1FAE0, 0x1FAE8))
PEOPLE = span((0x1F440, 0x1F487), (0x1F645, 0x1F64F), (0x1F918, 0x1F91F), (0x1F930, 0x1F93E), (0x1F9B5, 0x1F9B9), (0x1F9CD, 0x1F9DF))
THINGS = span((0x1F300, 0x1F320), (0x1F330, 0x1F393), (0x1F3A0, 0x1F3CA), (0x1F3E0, 0x1F3F0), (0x1F400, 0x1F43F), (0x1F488, 0x1F4FC), (0x1F500, 0x1F53D),
              (0x1F680, 0x1F6A2), (0x1F6A4, 0x1F6C5), (0x1F6F4, 0x1F6FC), (0x1F7E0, 0x1F7EB), (0x1F940, 0x1F94F), (0x1F950, 0x1F96F), (0x1F980, 0x1F9AF),
              (0x1F9C0, 0x1F9CC), (0x1F9E0, 0x1F9FF), (0x1FA70, 0x1FA7C), (0x1FA80, 0x1FA88), (0x1FA90, 0x1FABD), (0x1FAD0, 0x1FADB))
SIGNS = [sign + "\ufe0f" for sign in "☀☁☂☃☎☑☕☘☝☠☢☣☮☯☸☹☺♀♂♈♓♟♠♣♥♦♨♻♿⚒⚓⚔⚖⚗⚙⚛⚠⚡⚰⚽⛄⛅⛏⛔⛪⛰⛳⛵⛺✂✈✉✊✋✌✍✏✒✔✖✝✡✨✳✴❄❇❌❎❓❗❣❤➕➖➗➡➰⤴⤵⬅⬆⬇⬛⬜⭐⭕〰"]
FLAGS = ["".join(chr(0x1F1E6 + ord(letter) - ord("A")) for letter in country)
         for country in "AR AT AU BE BR CA CH CL CN CO CZ DE DK EG ES FI FR GB GR HU ID IE IL IN IT JP KE KR MX MY NG NL NO NZ PL PT RU SE SG TH TR UA US VN ZA".split()]
TONES = [hand + tone for hand in "👍👎👋🙏👏🙌💪👌🤞🤝✊🫶👦👧👨👩🧑" for tone in span((0x1F3FB, 0x1F3FF))]
JOINED = [*("👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 🧑🏽‍🚀 ❤️‍🔥 👩🏾‍🔬 🤦‍♂️ 1️⃣ 🏴‍☠️ 👨🏿‍🏫 👩‍❤️‍👨 🧑‍🤝‍🧑 🤷🏻‍♀️ 🏃‍♀️ 🧘🏽‍♂️ 👨‍🍳 👩‍🚒 🧑‍⚕️ 🐕‍🦺 🐻‍❄️ 😮‍💨 😵‍💫 👁️‍🗨️ "
            "9️⃣ #️⃣ 👩‍👧 🧑🏼‍🎓").split(), *FLAGS, *TONES]
EMOJI = [*FACES, *PEOPLE, *THINGS, *SIGNS, *JOINED]
COMMON = "😀 😂 🤣 😊 😍 🥰 😘 🤔 😅 😭 🙏 👍 👏 🔥 ✨ 🎉 ❤️ 💯 ✅ ❌ ⚠️ 🚀 💡 📌 📈 🛠️ 🐛 🙌 👀 💪".split()

def emoji_chat(m):
    return m.sentence(1, 7) + " " + "".join(m.emoji(COMMON) for _ in range(m.randint(1, 4)))

def emoji_faces(m):
    return "".join(m.emoji(FACES) for _ in range(m.randint(3, 30)))

def emoji_things(m):
    return " ".join(m.emoji(THINGS) for _ in range(m.randint(3, 20)))

def emoji_joined(m):
    return " ".join(m.emoji(JOINED) for _ in range(m.randint(2, 10)))

def emoji_reactions(m):
    return f"{m.choice(NAMES)}: {m.emoji(COMMON)} {m.randrange(99)} {m.emoji()} {m.randrange(99)}"

def emoji_list(m):
    return f"- {m.emoji('✅❌🔥🚀💡📌🐛✨')} **{m.choice(NOUNS).title()}**: {m.sentence(2, 8)}"

def emoji_mixed(m):
    return "".join(m.emoji(COMMON) if m.random() < 0.85 else m.choice("  !") for _ in range(24))

def emoji_commits(m):
    return f"{m.hex(7)} {m.emoji('🎨⚡🔥🐛✨📝🚀💄🎉✅🔒🔖🚨🚧💚⬇⬆📌👷📈')} {m.sentence(2, 7)}"

def emoji_names(m):
    sign = m.emoji()
    return f"{sign} {' '.join(f'U+{ord(c):X}' for c in sign)} :{m.choice(NOUNS)}_{m.choice(VERBS)}:"

def emoji_repeated(m):
    return m.sentence(1, 5) + " " + m.emoji(COMMON) * m.randint(2, 6)

def emoji_headings(m):
    return f"## {m.emoji()} {m.sentence(2, 5).title()}\n\n{m.sentence(5, 14)} {m.emoji()}\n"

def emoji_table(m):
    return f"| {m.emoji()} | {m.choice(NOUNS)} | {m.emoji()}{m.emoji()} | {m.randrange(999)} |"


KINDS = ["logs", "uuid_hex", "base64", "csv_nums", "json_dense", "sql", "tables", "urls", "emoji"]


def shapes():
    for name, function in globals().items():
        kind = next((kind for kind in KINDS if name.startswith(kind + "_")), None)
        if kind:
            yield kind, name, function


def generated(words: list[str], files: list[bytes]):
    words, files = Vocabulary(words), Vocabulary(files)
    for kind, name, shape in shapes():
        for side, most in DOCUMENTS.items():
            if side == "fit" and name in TEST_ONLY:
                continue
            for number in range(most):
                machine = Machine(random.Random(f"{name} {side} {number}"), words, files, side)
                text = shape(machine)
                while len(text) < LENGTH and len(text.split("\n")[-1]) < 4000:
                    text += "\n" + shape(machine)
                yield Document(kind, f"generated {name}", f"{side}-{number}", text[: 2 * LENGTH], side=side)
