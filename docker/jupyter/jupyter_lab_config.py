"""JupyterLab's settings, beside the server's in jupyter_server_config.py."""

c = get_config()  # noqa: F821 (Jupyter provides it)

# Nothing is asked of other hosts: no news, no update check, no catalogue of extensions.
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"
c.LabApp.extension_manager = "readonly"

# custom/custom.css, which jupyter_server_config.py serves.
c.LabApp.custom_css = True
