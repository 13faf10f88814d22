"""The notebook server's settings: `make lab`, the image and the browser test all start it with these."""

import os

c = get_config()  # noqa: F821 (Jupyter provides it)

root = os.environ["DPBANDITS_ROOT"]

# {baseUrl}static/dpbandits/echarts.min.js is the charting library (docker/ECHARTS.md).
c.ServerApp.extra_static_paths = [os.path.join(root, ".jupyter", "static")]

# Nothing is asked of other hosts: no news, no update check, no catalogue of extensions.
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"
c.LabApp.extension_manager = "readonly"
