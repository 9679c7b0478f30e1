// SPDX-License-Identifier: MIT
//
// Processes over time on a canvas: a process lies below the one that started it, in the first lane
// that is free. Above them, marks for the first use of each finding that the filters let through.
// The tree below holds the same for those who do not see the picture.

const MOST_LANES = 400;
const AXIS = 18; // pixels
const MARKS = 10; // for each severity
const TOP = AXIS + MARKS * SEVERITIES.length + 4;

const view = {canvas: null, from: 0, to: lastMoment, lanes: 0, lane: 14, order: [], chosen: null,
    colours: {}, drag: null, pending: false};

function assignLanes() {
    const ends = [];
    view.order = [...processes].sort((one, other) => one.started - other.started ||
        one.number - other.number);
    view.order.forEach((process, place) => {
        const parent = process.parent;
        let lane = parent && parent.lane !== undefined ? parent.lane + 1 : 0;
        process.place = place;
        if (parent && parent.lane !== undefined && process.how === "exec" &&
            parent.ended <= process.started)
            lane = parent.lane;
        while (lane < MOST_LANES - 1 && ends[lane] > process.started)
            lane++;
        process.lane = lane;
        ends[lane] = Math.max(ends[lane] || 0, process.ended);
    });
    view.lanes = view.order.reduce((most, process) => Math.max(most, process.lane + 1), 1);
    view.lane = Math.max(3, Math.min(16, Math.floor(420 / view.lanes)));
}

const width = () => view.canvas.clientWidth;
const positionOf = (time) => (time - view.from) * width() / (view.to - view.from);
const timeAt = (x) => view.from + x * (view.to - view.from) / width();
const laneTop = (lane) => TOP + lane * view.lane;

function readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["text", "muted", "rule", "bar", "bar-used", "error", "warning", "note",
        "accent", "on-bar", "back"])
        view.colours[name] = style.getPropertyValue(`--${name}`).trim();
}

// 1, 2 or 5 times a power of ten, so that about `most` of them fit.
function tickStep(most) {
    const least = (view.to - view.from) / most;
    const power = 10 ** Math.floor(Math.log10(least));
    return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least);
}

function drawAxis(context, height) {
    const step = tickStep(Math.max(2, width() / 110));
    context.fillStyle = view.colours.muted;
    context.strokeStyle = view.colours.rule;
    context.beginPath();
    for (let tick = Math.ceil(view.from / step) * step; tick <= view.to; tick += step) {
        const x = Math.round(positionOf(tick)) + 0.5;
        context.moveTo(x, 0);
        context.lineTo(x, height);
        context.fillText(tick ? duration(tick) : "0", x + 3, 9);
    }
    context.stroke();
}

function drawMarks(context) {
    for (const finding of findingList.shown) {
        const x = positionOf(finding.first);
        if (!(x >= 0 && x <= width()))
            continue;
        context.fillStyle = view.colours[SEVERITIES[finding.severity]];
        context.fillRect(Math.round(x) - 1, AXIS + (2 - finding.severity) * MARKS, 2, MARKS - 2);
    }
}

function drawBar(context, process, used) {
    const left = Math.max(positionOf(process.started), -1);
    const right = Math.min(positionOf(process.ended), width() + 1);
    const wide = Math.max(1, right - left - 0.5);
    const top = laneTop(process.lane);
    const tall = view.lane - (view.lane > 4 ? 1 : 0);
    if (right < 0 || left > width())
        return;
    context.fillStyle = view.colours[process.failed ? "error" : used ? "bar-used" : "bar"];
    context.fillRect(left, top, wide, tall);
    if (process === view.chosen) {
        context.strokeStyle = view.colours.text;
        context.lineWidth = 2;
        context.strokeRect(left - 1, top - 1, wide + 2, tall + 2);
        context.lineWidth = 1;
    }
    if (wide > 40 && view.lane >= 11) {
        context.save();
        context.beginPath();
        context.rect(left, top, wide - 2, tall);
        context.clip();
        context.fillStyle = view.colours[process.failed ? "back" : "on-bar"];
        context.fillText((process.failed ? "✕ " : "") + process.program, left + 3, top + tall / 2);
        context.restore();
    }
}

function draw() {
    const canvas = view.canvas;
    const context = canvas.getContext("2d");
    const scale = window.devicePixelRatio || 1;
    const height = laneTop(view.lanes) + 4;
    const used = new Set(findingList.shown.flatMap((finding) => finding.processes));
    view.pending = false;
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(width() * scale);
    canvas.height = Math.round(height * scale);
    context.scale(scale, scale);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    drawAxis(context, height);
    drawMarks(context);
    for (const process of view.order)
        if (process !== view.chosen)
            drawBar(context, process, used.has(process));
    if (view.chosen)
        drawBar(context, view.chosen, used.has(view.chosen));
}

function drawTimeline() {
    if (!view.canvas || view.pending)
        return;
    view.pending = true;
    requestAnimationFrame(draw);
}

function setRange(from, to) {
    const span = Math.min(lastMoment, Math.max(10, to - from));
    view.from = Math.max(0, Math.min(from, lastMoment - span));
    view.to = view.from + span;
    byId("timeline-range").textContent = `${duration(view.from)} to ${duration(view.to)}`;
    drawTimeline();
}

// Around the chosen process where it can be seen.
function middleOfView() {
    const from = view.chosen ? Math.max(view.from, view.chosen.started) : view.from;
    const to = view.chosen ? Math.min(view.to, view.chosen.ended) : view.to;
    return from < to ? (from + to) / 2 : (view.from + view.to) / 2;
}

function zoom(factor, middle = middleOfView()) {
    setRange(middle - (middle - view.from) * factor, middle + (view.to - middle) * factor);
}

const pan = (part) => setRange(view.from + (view.to - view.from) * part,
    view.to + (view.to - view.from) * part);

function describeMark(finding) {
    return [make("span", {class: `severity ${SEVERITIES[finding.severity]}`},
        SEVERITIES[finding.severity]), " ",
    make("a", {href: `#${finding.id}`}, make("code", {}, finding.label)),
    ` first used ${duration(finding.first)} after the start`];
}

function choose(process) {
    view.chosen = process;
    if (process.started < view.from || process.started > view.to) {
        const half = (view.to - view.from) / 2;
        setRange(process.started - half, process.started + half);
    }
    const end = ending(process);
    byId("timeline-chosen").replaceChildren(processLink(process),
        ` from ${duration(process.started)} on, ${timing(process)}${end ? `, ${end}` : ""}, ` +
        count(process.findings.length, "finding"));
    drawTimeline();
}

// What lies at a point: marks within a few pixels, or the bar there.
function findAt(x, y) {
    if (y < TOP) {
        const marks = findingList.shown.map((finding) =>
            [Math.abs(positionOf(finding.first) - x) +
                Math.abs(AXIS + (2.4 - finding.severity) * MARKS - y), finding]);
        const near = marks.filter(([far]) => far < 14).sort(([one], [other]) => one - other);
        return {mark: near.length ? near[0][1] : null};
    }
    const lane = Math.floor((y - TOP) / view.lane);
    const slack = 3 * (view.to - view.from) / width();
    const time = timeAt(x);
    let nearest = null;
    let least = Infinity;
    for (const process of view.order) {
        const far = Math.max(process.started - time, time - process.ended, 0);
        if (process.lane === lane && far <= slack && far <= least) {
            nearest = process;
            least = far;
        }
    }
    return {process: nearest};
}

function chooseAt(event) {
    const found = findAt(event.offsetX, event.offsetY);
    if (found.mark)
        byId("timeline-chosen").replaceChildren(...describeMark(found.mark));
    else if (found.process)
        choose(found.process);
}

function showHint(event) {
    const found = findAt(event.offsetX, event.offsetY);
    view.canvas.title = found.mark ? found.mark.label
        : found.process ? `${cut(found.process.command, 200)}\n${timing(found.process)}` : "";
}

const KEYS = {
    "+": () => zoom(0.5),
    "=": () => zoom(0.5),
    "-": () => zoom(2),
    "0": () => setRange(0, lastMoment),
    ArrowLeft: (event) => (event.shiftKey ? pan(-0.25) : step(-1)),
    ArrowRight: (event) => (event.shiftKey ? pan(0.25) : step(1)),
    ArrowUp: () => view.chosen && view.chosen.parent && choose(view.chosen.parent),
    ArrowDown: () => view.chosen && view.chosen.children.length &&
        choose(view.chosen.children[0]),
    Home: () => choose(view.order[0]),
    End: () => choose(view.order[view.order.length - 1]),
    Enter: () => view.chosen && go(`process-${view.chosen.number}`),
};

function step(by) {
    const place = view.chosen ? view.chosen.place + by : 0;
    choose(view.order[Math.max(0, Math.min(view.order.length - 1, place))]);
}

function listen(canvas) {
    canvas.addEventListener("keydown", (event) => {
        if (!KEYS[event.key] || event.ctrlKey || event.metaKey || event.altKey)
            return;
        event.preventDefault();
        KEYS[event.key](event);
    });
    canvas.addEventListener("wheel", (event) => {
        if (!event.ctrlKey && !event.metaKey)
            return;
        event.preventDefault();
        zoom(event.deltaY < 0 ? 0.8 : 1.25, timeAt(event.offsetX));
    }, {passive: false});
    canvas.addEventListener("pointerdown", (event) => {
        view.drag = {x: event.offsetX, from: view.from, to: view.to, moved: false};
        canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
        if (!view.drag)
            return showHint(event);
        const by = (view.drag.x - event.offsetX) * (view.drag.to - view.drag.from) / width();
        view.drag.moved = view.drag.moved || Math.abs(view.drag.x - event.offsetX) > 3;
        return view.drag.moved && setRange(view.drag.from + by, view.drag.to + by);
    });
    canvas.addEventListener("pointerup", (event) => {
        if (view.drag && !view.drag.moved)
            chooseAt(event);
        view.drag = null;
    });
    canvas.addEventListener("pointercancel", () => { view.drag = null; });
}

function addTimeline() {
    const button = (text, act) => make("button", {type: "button", click: act}, text);
    const swatch = (name, text) => make("li", {}, make("span", {class: `swatch ${name}`}), text);
    if (!processes.length)
        return byId("timeline").append(make("p", {}, "No process was recorded."));
    view.canvas = make("canvas", {tabindex: "0", role: "application",
        "aria-label": `Timeline of ${count(processes.length, "process", "processes")} in ` +
            `${duration(lastMoment)}`, "aria-describedby": "timeline-keys"});
    byId("timeline").append(
        make("div", {class: "tools"},
            button("Zoom in", () => zoom(0.5)), button("Zoom out", () => zoom(2)),
            button("Earlier", () => pan(-0.5)), button("Later", () => pan(0.5)),
            button("All", () => setRange(0, lastMoment)),
            make("span", {id: "timeline-range", class: "muted"})),
        view.canvas,
        make("p", {id: "timeline-chosen", role: "status"},
            make("span", {class: "muted"}, "Choose a process or a mark.")),
        make("ul", {class: "legend"}, swatch("bar", "a process"),
            swatch("bar-used", "with findings of the list above"), swatch("error", "failed"),
            make("li", {}, "marks on top: first use of a finding (errors, warnings, notes)")),
        make("p", {id: "timeline-keys", class: "muted"},
            "Keys: ← → the process before and after, ↑ ↓ parent and child, Enter its place in " +
            "the tree, + − 0 zoom, Shift with ← → moves. Mouse: drag, Ctrl with the wheel zooms."));
    assignLanes();
    readColours();
    listen(view.canvas);
    new ResizeObserver(drawTimeline).observe(view.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
        readColours();
        drawTimeline();
    });
    return setRange(0, lastMoment);
}
