"""The notebook server's settings: `make lab`, the image and the browser test all start it with these."""

import os

c = get_config()  # noqa: F821 (Jupyter provides it)

root = os.environ["DPBANDITS_ROOT"]

# {baseUrl}static/dpbandits/echarts.min.js is the charting library (docker/ECHARTS.md).
c.ServerApp.extra_static_paths = [os.path.join(root, ".jupyter", "static")]

# {baseUrl}custom/custom.css is what notebooks look like in JupyterLab.
c.ServerApp.tornado_settings = {"static_custom_path": [os.path.join(root, "docker", "jupyter", "custom")]}

# The Go kernel is the only one on offer.
c.KernelSpecManager.allowed_kernelspecs = {"gonb"}
c.MultiKernelManager.default_kernel_name = "gonb"
c.LanguageServerManager.autodetect = False

# A loaded machine takes its time to start a kernel.
c.MappingKernelManager.kernel_info_timeout = 600
