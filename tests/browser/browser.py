# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium that can reach nothing: what tests of pages share.

Debian's packages chromium, chromium-driver and python3-selenium. Without them start() returns None and says what is missing.
"""

import json
import pathlib
import shutil
import tempfile


FLAGS = """--headless=new --no-sandbox --disable-dev-shm-usage --disable-gpu --no-first-run
--disable-background-networking --disable-component-update --disable-sync --disable-extensions --hide-scrollbars
--force-device-scale-factor=1 --window-size=1280,900 --proxy-server=127.0.0.1:9""".split()


class Browser:
    def __init__(self, driver, profile):
        self.driver = driver
        self.profile = profile

    def open(self, path):
        """Opens a file; the logs are of it alone."""
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.get(pathlib.Path(path).resolve().as_uri())

    def complaints(self):
        """Messages of the console."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """Addresses that were asked for and are no file."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        return [url for url in asked if not url.startswith(("file:", "data:", "blob:"))]

    def show(self, width, height=900, dark=False, media=""):
        """Narrow windows lay out at 500 pixels, so the screen is said to be another one."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "media": media, "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def script(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def close(self):
        self.driver.quit()
        shutil.rmtree(self.profile, ignore_errors=True)


def start():
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.options import Options
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        print("skipped: python3-selenium is not installed")
        return None
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        print("skipped: chromium and chromium-driver are not installed")
        return None
    profile = tempfile.mkdtemp()
    options = Options()
    options.binary_location = chromium
    for flag in FLAGS + ["--user-data-dir=" + profile, "--host-resolver-rules=MAP * ~NOTFOUND"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return Browser(webdriver.Chrome(service=Service(driver), options=options), profile)
