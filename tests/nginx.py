"""Runs nginx with the configuration that is shipped, in front of servers that a test has started.

Only what must differ on another machine is replaced in it, as text: ports, paths, and what a test asks for.
"""

import grp
import os
import pwd
import signal
import socket
import ssl
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from string import Template

import httpx
import trustme

from tests.process import PATIENCE_S, ROOT, Server
from tools.proxies import find

DEPLOY = ROOT / "deploy"

# As nginx-proxy.conf says to.
BELOW_DEMO = {"location / {": "location /demo/ {", "location = /stream {": "location = /demo/stream {"}

# What Debian's own nginx.conf has around it, and one thing worse: there somebody compresses all.
_MAIN = Template("""
    daemon off;
    user $user $group;
    worker_processes 2;
    pid $folder/pid;
    error_log $folder/main.log;
    events { worker_connections 768; }
    http {
        include $folder/trickle.conf;
        sendfile on;
        tcp_nopush on;
        default_type application/octet-stream;
        access_log off;
        gzip on;
        gzip_types *;
        gzip_min_length 0;
        client_body_temp_path $folder/body;
        proxy_temp_path $folder/proxy;
        fastcgi_temp_path $folder/fastcgi;
        uwsgi_temp_path $folder/uwsgi;
        scgi_temp_path $folder/scgi;
    }
""")


@dataclass(frozen=True)
class Nginx:
    """A running nginx, and where to find it."""

    folder: Path
    http_port: int
    https_port: int

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.https_port}"

    def client(self, address: str = "127.0.0.1", base: str = "/") -> httpx.Client:
        """A client at an address of this machine, which trusts the certificate."""
        trust = ssl.create_default_context(cafile=str(self.folder / "ca.crt"))
        transport = httpx.HTTPTransport(verify=trust, http2=True, local_address=address)
        return httpx.Client(base_url=self.url + base, transport=transport, timeout=3 * PATIENCE_S)


@contextmanager
def behind_nginx(servers: Sequence[Server], changes: Mapping[str, str] | None = None) -> Iterator[Nginx]:
    """Put servers behind nginx; `changes` are made to what is shipped."""
    program = find("nginx")
    assert program, "There is no nginx: `make test` fetches it, or says how to."
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="nginx-")))
        http, https = (stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(2))
        nginx = Nginx(folder, http.getsockname()[1], https.getsockname()[1])
        _certify(folder)
        for path, text in _configured(nginx, servers, changes or {}).items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        # It takes over sockets that listen, as when it is upgraded: so no port is taken by somebody else before it
        # starts, and who connects meanwhile is served then.
        inherited = (http.fileno(), https.fileno())
        with subprocess.Popen(
            [program, "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "main.log"],
            env=os.environ | {"NGINX": "".join(f"{fd};" for fd in inherited)},
            pass_fds=inherited,
        ) as process:
            try:
                yield nginx
                assert process.poll() is None
            finally:
                process.send_signal(signal.SIGTERM)


def _certify(folder: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "ca.crt")
    certificate = authority.issue_cert("127.0.0.1")
    certificate.private_key_pem.write_to_path(folder / "trickle.key")
    for part in certificate.cert_chain_pems:
        part.write_to_path(folder / "trickle.crt", append=True)


def _configured(nginx: Nginx, servers: Sequence[Server], changes: Mapping[str, str]) -> dict[Path, str]:
    """What is shipped, and around it, with the ports and paths of this test; each of them must be in it."""
    one, two = servers
    names = {"user": pwd.getpwuid(os.geteuid()).pw_name, "group": grp.getgrgid(os.getegid()).gr_name}
    texts = {
        nginx.folder / "nginx.conf": _MAIN.substitute(names, folder=nginx.folder),
        nginx.folder / "trickle.conf": (DEPLOY / "nginx.conf").read_text(),
        nginx.folder / "snippets" / "trickle.conf": (DEPLOY / "nginx-proxy.conf").read_text(),
    }
    for old, new in {
        "listen [::]:80;": "",  # not every machine has it
        "listen [::]:443 ssl http2;": "",
        "listen 80;": f"listen 127.0.0.1:{nginx.http_port};",
        "listen 443 ssl": f"listen 127.0.0.1:{nginx.https_port} ssl",
        "server 127.0.0.1:8001 ": f"server {one.host}:{one.port} ",
        "server 127.0.0.1:8002 ": f"server {two.host}:{two.port} ",
        "/etc/nginx/": f"{nginx.folder}/",
        "/var/log/nginx/": f"{nginx.folder}/",
        **changes,
    }.items():
        assert any(old in text for text in texts.values())
        texts = {path: text.replace(old, new) for path, text in texts.items()}
    return texts
