"""/static: the files of the folder as they are, and below a version from memory, for a browser to keep."""

import os
import re

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import Scope

from .assets import Asset, Assets

_VERSION = re.compile(r"[0-9a-f]{16}")
_FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}


class Static(StaticFiles):
    """Answers `VERSION/PATH` with what that version's pages ask for, and `PATH` with what is on the disk.

    A version that is no longer, or not yet, the one that is here gets the files on the disk too: a page that was
    opened before an update goes on loading.
    """

    def __init__(self, assets: Assets) -> None:
        super().__init__(directory=assets.folder)
        self._assets = assets

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Answer a request for a path below /static. Raises HTTPException."""
        version, _, rest = path.partition(os.sep)
        if _VERSION.fullmatch(version):
            path = rest
            asset = self._assets.find(version, rest.replace(os.sep, "/"))
            if asset and scope["method"] in ("GET", "HEAD"):
                return self._kept(asset, Headers(scope=scope))
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"  # keep it, and ask each time whether it is still right
        return response

    def _kept(self, asset: Asset, asked: Headers) -> Response:
        if "gzip" in asked.get("accept-encoding", ""):
            body, headers = asset.packed, {"ETag": f'"{asset.digest}-gzip"', "Content-Encoding": "gzip"}
        else:
            body, headers = asset.body, {"ETag": f'"{asset.digest}"'}
        response = Response(body, headers=_FOR_EVER | headers, media_type=asset.media_type)
        return NotModifiedResponse(response.headers) if self.is_not_modified(response.headers, asked) else response
