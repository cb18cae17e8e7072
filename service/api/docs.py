"""The OpenAPI page at ``/docs``, from files of an installed package: it must work without a network."""

from __future__ import annotations

from importlib.resources import files

from fastapi import FastAPI
from fastapi.openapi.docs import get_swagger_ui_html
from starlette.responses import HTMLResponse
from starlette.staticfiles import StaticFiles

ASSETS = "/docs/assets"


def install(app: FastAPI) -> None:
    """Add the page and its files."""
    folder = str(files("fastapi_offline") / "static")
    openapi_url, title = app.openapi_url or "/openapi.json", app.title

    @app.get("/docs", include_in_schema=False)
    def page() -> HTMLResponse:
        """The routes, to read and to try."""
        return get_swagger_ui_html(
            openapi_url=openapi_url,
            title=title,
            swagger_js_url=f"{ASSETS}/swagger-ui-bundle.js",
            swagger_css_url=f"{ASSETS}/swagger-ui.css",
            swagger_favicon_url="data:,",
            # Null: Swagger's own validator is a service elsewhere.
            swagger_ui_parameters={"validatorUrl": None, "defaultModelsExpandDepth": 0},
        )

    app.mount(ASSETS, StaticFiles(directory=folder), name="docs-assets")
