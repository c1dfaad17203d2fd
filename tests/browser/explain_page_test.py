#!/usr/bin/env python3
# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Opens the page of `explain -html` in headless Chromium, clicks a step and reads its details.

usage: FUSEQ_BIN=build/release/bin explain_page_test.py [SCREENSHOT.png]

Exit status 77: skipped. It needs chromium, chromium-driver and python3-selenium (tests/run.sh -full).
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = ROOT / "samples/models/residual_cnn.xml"


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def browser():
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    options = webdriver.ChromeOptions()
    # Without the ones about networking Chromium waits for hosts that a closed network does not reach.
    for option in ("--headless", "--no-sandbox", "--disable-gpu", "--window-size=1200,1000", "--no-first-run",
                   "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"):
        options.add_argument(option)
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)


def expect(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def check_page(page, report):
    rows = lambda: page.find_elements("css selector", "#steps tbody tr")
    expect(page.find_element("id", "model").text.startswith("residual_cnn"), "the model's name")
    bars = page.find_elements("css selector", "#plan .step")
    expect(len(bars) == len(report["steps"]) == len(rows()), "a bar and a row for each step")

    slowest = max(report["steps"], key=lambda one: one["time_us"])
    expect(slowest["name"] in page.find_element("id", "details").text, "the page opens with the slowest step")
    tops = {bar.location["y"] for bar in bars}
    expect(len(tops) == 1, f"the bars stand in one row: {tops}")

    step = next(i for i, one in enumerate(report["steps"]) if one["kind"] == "convolution")
    bars[step].click()
    details = page.find_element("id", "details").text
    wanted = report["steps"][step]
    for text in [wanted["name"], wanted["implementation"], wanted["post_ops"], wanted["layers"][-1],
                 f"{wanted['macs']:,}", "taken"]:
        expect(text in details, f"{text!r} in the details {details!r}")
    expect("int8" in bars[step].get_attribute("class"), "an int8 step has its colour")

    from selenium.webdriver import ActionChains
    other = next(i for i, one in enumerate(report["steps"]) if one["kind"] != "convolution")
    ActionChains(page).move_to_element(bars[other]).perform()
    expect(report["steps"][other]["implementation"] in page.find_element("id", "details").text, "pointing at a step")
    ActionChains(page).move_to_element(page.find_element("id", "model")).perform()
    expect(wanted["implementation"] in page.find_element("id", "details").text, "the chosen step comes back")

    filter_box = page.find_element("id", "filter")
    filter_box.send_keys(wanted["name"].upper())
    found = [row for row in report["steps"] if wanted["name"] in json.dumps(row["name"])]
    expect(1 <= len(rows()) < len(report["steps"]) and len(rows()) >= len(found), "the filter")
    page.execute_script("document.getElementById('filter').value = ''; filter();")

    heads = page.find_elements("css selector", "#steps th")
    macs = next(i for i, head in enumerate(heads) if head.text == "macs")
    heads[macs].click()
    values = [int(row.find_elements("css selector", "td")[macs].text.replace(",", "") or 0) for row in rows()]
    expect(values == sorted(values, reverse=True) and values[0] > 0, f"rows sorted by MACs: {values}")
    rows()[0].click()
    expect(f"{values[0]:,}" in page.find_element("id", "details").text, "a row chooses its step")
    errors = [entry for entry in page.get_log("browser") if entry["level"] == "SEVERE"]
    expect(not errors, f"no errors in the console: {errors}")


def main():
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        skip("chromium or chromium-driver is not installed")
    try:
        import selenium  # noqa: F401
    except ImportError:
        skip("python3-selenium is not installed")
    with tempfile.TemporaryDirectory() as folder:
        html, report = pathlib.Path(folder, "plan.html"), pathlib.Path(folder, "plan.json")
        subprocess.run([pathlib.Path(os.environ["FUSEQ_BIN"], "explain"), "-m", MODEL, "-profile", "-html", html,
                        "-json", report], check=True, stdout=subprocess.DEVNULL)
        page = browser()
        try:
            page.get(html.as_uri())
            check_page(page, json.loads(report.read_text()))
            if len(sys.argv) > 1:
                page.execute_script("scrollTo(0, 0)")
                page.save_screenshot(sys.argv[1])
        finally:
            page.quit()
    print("the page shows the plan and the details of a step")


if __name__ == "__main__":
    main()
