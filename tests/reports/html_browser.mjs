// SPDX-License-Identifier: MIT
//
// The HTML report in headless Chromium: prints TAP, exit status 1 when anything failed.
//
//   node html_browser.mjs KIND=PAGE[,REPORT] ...
//
//   KIND    build, hostile, large, known, remedy or other: which tests beside those for every page
//   REPORT  the JSON report of the same run, to hold the page against
//
// CHROMIUM names the browser (default /usr/bin/chromium), TALLYMAN_SHOTS a folder for screenshots.
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {createRequire} from "node:module";
import path from "node:path";
import {pathToFileURL} from "node:url";

// From NODE_PATH, which import does not look at.
const require = createRequire(import.meta.url);
const puppeteer = require("puppeteer-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const shots = process.env.TALLYMAN_SHOTS;

let number = 0;
let failures = 0;
let browser;

async function test(title, body) {
    number++;
    try {
        await body();
        console.log(`ok ${number} - ${title}`);
    } catch (error) {
        failures++;
        console.log(`not ok ${number} - ${title}`);
        console.log(String(error.stack || error).replace(/^/gm, "# "));
    }
}

// A page that has been loaded, and whatever it should not have done since.
async function open(file, {width = 1280, scheme = "light", motion = "no-preference",
    script = true, hash = ""} = {}) {
    const page = await browser.newPage();
    const wrong = [];
    const url = pathToFileURL(path.resolve(file)).href;
    page.on("console", (message) => wrong.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => {
        wrong.push(`dialog: ${dialog.message()}`);
        dialog.dismiss();
    });
    page.on("request", (request) => {
        if (request.url().split("#")[0] !== url)
            wrong.push(`request: ${request.url().slice(0, 200)}`);
    });
    await page.evaluateOnNewDocument(() => document.addEventListener("securitypolicyviolation",
        (event) => console.log(`policy: ${event.violatedDirective} ${event.blockedURI}`)));
    await page.setJavaScriptEnabled(script);
    await page.setViewport({width, height: 900});
    await page.emulateMediaFeatures([{name: "prefers-color-scheme", value: scheme},
        {name: "prefers-reduced-motion", value: motion}]);
    await page.goto(url + hash, {waitUntil: "load"});
    return {page, wrong, close: async () => {
        await page.close();
        assert.deepEqual(wrong, []);
    }};
}

const text = (page, selector) => page.$eval(selector, (element) => element.innerText);
const focused = (page) => page.evaluate(() => {
    const at = document.activeElement;
    const style = getComputedStyle(at);
    return {tag: at.tagName, id: at.id, text: at.textContent.slice(0, 60), open: at.parentElement &&
        at.parentElement.open, outline: style.outlineStyle !== "none" && style.outlineWidth};
});

async function press(page, ...keys) {
    for (const key of keys)
        await page.keyboard.press(key);
}

async function tabTo(page, wanted, most = 80) {
    for (let i = 0; i < most; i++) {
        await press(page, "Tab");
        const at = await focused(page);
        assert.ok(at.outline && at.outline !== "0px", `no visible focus on ${at.tag} ${at.text}`);
        if (wanted(at))
            return at;
    }
    throw new Error("the Tab key does not get there");
}

const shownFindings = async (page) =>
    Number((await text(page, "#finding-count")).split(" ")[0].replaceAll(",", ""));

// --- for every page ---

async function checkAccess(file) {
    for (const width of [1280, 400])
        for (const scheme of ["light", "dark"]) {
            const {page, close} = await open(file, {width, scheme});
            await page.evaluate(() => {
                for (const finding of findings.slice(0, 3))
                    go(finding.id);
                if (processes.length)
                    go("process-0");
                window.scrollTo(0, 0);
            });
            if (shots)
                await page.screenshot({path: path.join(shots,
                    `${path.basename(file, ".html")}-${width}-${scheme}.png`)});
            await page.evaluate(axe);
            const {violations} = await page.evaluate(() => axe.run());
            assert.deepEqual(violations.map((one) => `${width} ${scheme} ${one.id}: ` +
                one.nodes.slice(0, 2).map((node) => node.html).join(" ")), []);
            assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <=
                window.innerWidth), `${width}: the page is wider than the screen`);
            await close();
        }
}

async function checkSchemes(file) {
    const brightness = async (scheme) => {
        const {page, close} = await open(file, {scheme});
        const [back, front] = await page.evaluate(() => {
            const style = getComputedStyle(document.body);
            const sum = (colour) => colour.match(/[\d.]+/g).slice(0, 3).map(Number)
                .reduce((all, one) => all + one) / 3;
            return [sum(style.backgroundColor), sum(style.color)];
        });
        await close();
        return [back, front];
    };
    const [light, dark] = [await brightness("light"), await brightness("dark")];
    assert.ok(light[0] > 200 && light[1] < 80, `light: ${light}`);
    assert.ok(dark[0] < 60 && dark[1] > 180, `dark: ${dark}`);
}

async function checkStill(file) {
    const {page, close} = await open(file, {motion: "reduce"});
    assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
    assert.equal(await page.evaluate(() => [...document.styleSheets[0].cssRules].filter((rule) =>
        /transition|animation|scroll-behavior/.test(rule.cssText)).length), 0);
    await close();
}

async function checkWithoutScript(file, findings) {
    const {page, close} = await open(file, {script: false});
    const list = await page.$$eval("noscript h3", (heads) => heads.length);
    assert.equal(list, findings);
    assert.equal(await page.$eval("#page", (element) => element.hidden), true);
    await close();
}

async function checkPrint(file) {
    const {page, close} = await open(file);
    await page.emulateMediaType("print");
    for (const selector of ["nav", "form", "#timeline"])
        assert.equal(await page.$eval(selector, (element) => element.checkVisibility()), false);
    assert.ok((await page.pdf({format: "A4"})).length > 10000);
    await close();
}

async function everyPage(name, file, report) {
    const {page, close} = await open(file);
    const counts = await page.evaluate(() => ({findings: findings.length,
        processes: processes.length, title: document.title, command: string(0) === ""}));
    await test(`${name}: the page loads without a message, a request or a breach of its policy`,
        async () => {
            assert.ok(counts.title.endsWith(" - tallyman"));
            assert.equal(await page.$eval("#page", (element) => element.hidden), false);
            await close();
        });
    await test(`${name}: no accessibility rule is broken, wide and narrow, light and dark`,
        () => checkAccess(file));
    await test(`${name}: light and dark follow the reader's choice`, () => checkSchemes(file));
    await test(`${name}: nothing moves`, () => checkStill(file));
    await test(`${name}: without a script all findings are listed`,
        () => checkWithoutScript(file, counts.findings));
    await test(`${name}: on paper there are no controls`, () => checkPrint(file));
    if (report)
        await test(`${name}: the page says what the JSON report says`,
            () => checkAgainst(file, JSON.parse(readFileSync(report, "utf8"))));
}

// --- the data ---

async function checkAgainst(file, report) {
    const {page, close} = await open(file);
    const shown = await page.evaluate(() => ({
        findings: Object.fromEntries(findings.map((finding) =>
            [`${finding.fingerprint} ${finding.waived}`, {count: finding.count,
                severity: SEVERITIES[finding.severity], members: finding.members.length,
                processes: finding.processes.map((process) => process.number)}])),
        processes: processes.map((process) => [process.pid, process.status])}));
    const places = new Map(report.processes.map((process, place) => [process.id, place]));
    const wanted = Object.fromEntries(report.findings.map((finding) =>
        [`${finding.fingerprint} ${finding.verdict === "waived" ? 1 : 0}`, {count: finding.count,
            severity: finding.severity, members: finding.members.length,
            processes: finding.processes.map((id) => places.get(id)).sort((a, b) => a - b)}]));
    for (const finding of Object.values(shown.findings))
        finding.processes.sort((a, b) => a - b);
    assert.deepEqual(shown.findings, wanted);
    assert.deepEqual(shown.processes, report.processes.map((process) =>
        [process.pid, process.exit_status ?? -1]));
    await close();
}

// --- a build ---

async function checkSearch(file) {
    const {page, close} = await open(file);
    const all = await shownFindings(page);
    await page.type("#filters input", "STDIO.H");
    const found = await shownFindings(page);
    assert.ok(found > 0 && found < all, `${found} of ${all}`);
    await page.click(".finding > summary");
    await page.waitForSelector(".finding[open] .members tbody tr");
    assert.match(await text(page, ".finding[open] .members tbody tr td"), /stdio\.h/);
    await page.click("#filters button");
    assert.equal(await shownFindings(page), all);
    await page.type("#filters input", "no such name anywhere");
    assert.equal(await shownFindings(page), 0);
    assert.ok(await page.$eval("#finding-none", (element) => element.checkVisibility()));
    await close();
}

async function checkFilters(file) {
    const {page, close} = await open(file);
    const all = await shownFindings(page);
    for (const name of ["severity", "channel", "category", "program"]) {
        const choices = await page.$$eval(`#filters [name=${name}] option`, (options) =>
            options.slice(1).map((option) => [option.value, option.textContent]));
        for (const [value, label] of choices.slice(0, 8)) {
            await page.select(`#filters [name=${name}]`, value);
            const many = Number(label.match(/\(([\d,]+)\)$/)[1].replaceAll(",", ""));
            await page.select("#filters [name=verdict]", "");
            assert.equal(await shownFindings(page), many, `${name}: ${label}`);
        }
        await page.click("#filters button");
        assert.equal(await shownFindings(page), all);
    }
    await page.click("tfoot button.number");
    assert.ok(await shownFindings(page) > 0);
    await close();
}

async function checkKeyboard(file) {
    const {page, close} = await open(file);
    await press(page, "Tab");
    assert.equal((await focused(page)).text, "Skip to the findings");
    await press(page, "Enter", "Tab");
    assert.equal((await focused(page)).tag, "INPUT");
    await tabTo(page, (at) => at.tag === "SUMMARY");
    await press(page, "Enter");
    assert.equal((await focused(page)).open, true);
    await page.waitForSelector(".finding[open] dl");
    await press(page, "Enter");
    assert.equal((await focused(page)).open, false);
    await press(page, "ArrowDown", "ArrowRight");
    assert.equal((await focused(page)).open, true);
    await page.waitForSelector(".finding[open] dl");
    await tabTo(page, (at) => at.tag === "A" && at.text !== "");
    await press(page, "Enter");
    assert.match((await focused(page)).id, /^process-/);
    assert.ok((await focused(page)).open);
    await page.goBack();
    await page.focus("canvas");
    await press(page, "ArrowRight", "ArrowRight", "+", "+", "Shift", "ArrowDown", "Home", "0");
    assert.match(await text(page, "#timeline-chosen"), /took|never/);
    await press(page, "ArrowDown", "Enter");
    assert.match((await focused(page)).id, /^process-/);
    await close();
}

async function checkLinks(file) {
    const first = await open(file);
    const id = await first.page.evaluate(() => findings[findings.length - 1].id);
    await first.close();
    const {page, close} = await open(file, {hash: `#${id}`});
    assert.equal(await page.$eval(`#${id}`, (element) => element.open), true);
    assert.ok((await text(page, `#${id} dl`)).includes(id.split("-")[1]));
    await page.click(`#${id} .chain a`);
    assert.match((await focused(page)).id, /^process-/);
    await close();
}

async function checkTree(file) {
    const {page, close} = await open(file);
    const all = await page.evaluate(() => processes.length);
    assert.equal(await text(page, "#process-count"), `${all.toLocaleString("en")} processes`);
    await page.type("#process-form input", "cc1");
    const found = await page.$$eval("#process-list > li", (rows) => rows.length);
    assert.ok(found > 0 && found < all);
    await page.click("#process-list summary");
    await page.waitForSelector("#process-list .chain a");
    assert.ok((await page.$$("#process-list .used li")).length > 0);
    await page.$eval("#process-form input", (input) => { input.value = ""; });
    await page.select("#process-form select", "failed");
    assert.equal(await page.$$eval("#process-list > li .mark.failed", (marks) => marks.length),
        Math.min(200, await page.evaluate(() => processes.filter((one) => one.failed).length)));
    await close();
}

// What is drawn: more than one colour, other pixels after zooming.
async function checkTimeline(file) {
    const {page, close} = await open(file);
    const picture = () => page.$eval("canvas", (canvas) => new Promise((done) => {
        requestAnimationFrame(() => requestAnimationFrame(() => done(canvas.toDataURL())));
    }));
    const before = await picture();
    assert.ok(await page.$eval("canvas", (canvas) => {
        const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return new Set(new Uint32Array(data.buffer)).size;
    }) > 3);
    await page.evaluate(() => [...document.querySelectorAll("#timeline button")]
        .find((button) => button.textContent === "Zoom in").click());
    assert.notEqual(await picture(), before);
    await page.$eval("canvas", (canvas) => canvas.scrollIntoView({block: "center"}));
    await page.click("canvas", {offset: {x: 300, y: 60}});
    assert.match(await text(page, "#timeline-chosen"), /findings?$/);
    await close();
}

async function buildPage(name, file) {
    await test(`${name}: the search finds names inside findings`, () => checkSearch(file));
    await test(`${name}: each filter shows as many as it says`, () => checkFilters(file));
    await test(`${name}: all of it can be used by the keyboard`, () => checkKeyboard(file));
    await test(`${name}: a link opens its finding, and leads on to the process`,
        () => checkLinks(file));
    await test(`${name}: processes are found and say what they used`, () => checkTree(file));
    await test(`${name}: the timeline draws, zooms and says what was chosen`,
        () => checkTimeline(file));
}

// --- names with any bytes ---

async function hostilePage(name, file) {
    await test(`${name}: nothing in a name is run, becomes markup or turns text around`,
        async () => {
            const {page, close} = await open(file);
            await page.evaluate(() => {
                setFilters({});
                for (const finding of findings)
                    go(finding.id);
                for (const process of processes)
                    go(`process-${process.number}`);
            });
            const found = await page.evaluate(() => ({
                scripts: document.scripts.length,
                foreign: document.querySelectorAll("img, svg, iframe, object, embed, base, b, " +
                    "link, [onload], [onerror], [style]:not(canvas)").length,
                text: document.body.innerText, title: document.title,
                values: [...document.querySelectorAll("option")].map((one) => one.textContent)}));
            assert.equal(found.scripts, 2);
            assert.equal(found.foreign, 0);
            for (const part of ["<script>alert(1)</script>", "</script><script>alert(2)</script>",
                "</noscript><img src=x onerror=alert(3)>", "new\\x0aline", "\\x1b[31mred",
                "\\xe2\\x80\\xaetxt.c", "\\xff\\xfe", "&lt;script&gt;", "__proto__", "{{script}}"])
                assert.ok(found.text.includes(part), `${part} is not shown`);
            // eslint-disable-next-line no-control-regex
            const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\ufffd]/;
            for (const shown of [found.text, found.title, ...found.values])
                assert.doesNotMatch(shown, unsafe);
            await close();
        });
}

// --- many of everything ---

async function largePage(name, file) {
    await test(`${name}: ten thousand processes and fifty thousand accesses are quick`, async () => {
        const {page, close} = await open(file);
        const times = await page.evaluate(() => {
            const timed = (body) => {
                const start = performance.now();
                body();
                return performance.now() - start;
            };
            return {
                load: performance.getEntriesByType("navigation")[0].domInteractive,
                search: timed(() => {
                    filters.search = "1.h";
                    showFindings();
                }),
                draw: timed(draw),
                reveal: timed(() => go(`process-${processes.length - 1}`)),
                elements: document.querySelectorAll("*").length};
        });
        console.log(`# ${JSON.stringify(times)}`);
        assert.ok(times.load < 4000, "to be ready");
        assert.ok(times.search < 500, "to search");
        assert.ok(times.draw < 500, "to draw");
        assert.ok(times.reveal < 500, "to show a process");
        assert.ok(times.elements < 20000, "elements");
        await close();
    });
    await test(`${name}: more rows come when they are asked for`, async () => {
        const {page, close} = await open(file);
        const rows = () => page.$$eval("#process-list > li", (all) => all.length);
        await page.type("#process-form input", "cc -c");
        assert.equal(await rows(), 200);
        await page.click("#process-more button");
        assert.equal(await rows(), 400);
        assert.match(await text(page, "#process-count"), /^9,998 of 10,000/);
        await close();
    });
}

// --- a baseline, and what an analysis knows of some findings ---

async function knownPage(name, file) {
    await test(`${name}: new and known findings are marked and told apart`, async () => {
        const {page, close} = await open(file);
        assert.equal(await shownFindings(page), 2);
        for (const choice of ["new", "known"]) {
            await page.select("#filters [name=known]", choice);
            assert.equal(await shownFindings(page), 1);
            assert.equal(await text(page, ".finding .mark"), choice);
        }
        assert.match(await text(page, ".verdict"), /1 known from the baseline/);
        await close();
    });
}

async function remedyPage(name, file) {
    await test(`${name}: remedy, declaration, place and digest are in the finding`, async () => {
        const {page, close} = await open(file);
        await page.click(".finding > summary");
        await page.waitForSelector(".finding dl");
        const inside = await text(page, ".finding");
        for (const part of ["Do <this>.", "src/Makefile:7", "00ff", "SHA-256"])
            assert.ok(inside.includes(part), part);
        assert.equal(await text(page, ".finding pre"), 'inputs:\n  - "/opt/\\x1b"');
        await page.click(".finding .copy");
        await page.waitForFunction(() => /Copied|Selected/.test(
            document.querySelector(".copy").textContent));
        assert.equal(await page.evaluate(() => String(window.getSelection())),
            'inputs:\n  - "/opt/\\x1b"');
        await close();
    });
}

const kinds = {build: buildPage, known: knownPage, remedy: remedyPage, hostile: hostilePage, large: largePage, other: async () => {}};

browser = await puppeteer.launch({executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"]});
for (const argument of process.argv.slice(2)) {
    const [kind, files] = argument.split("=");
    const [file, report] = files.split(",");
    const name = path.basename(file, ".html");
    await everyPage(name, file, report);
    await kinds[kind](name, file);
}
await browser.close();
console.log(`1..${number}`);
process.exitCode = failures ? 1 : 0;
