// What scripts of a page share that run cells again.

function element(parent, tag, className, text) {
  var e = parent.appendChild(document.createElement(tag));
  if (className) e.className = className;
  if (text) e.textContent = text;
  return e;
}

// show puts a figure, or a table, into the place. Scripts in it run.
function show(place, html) {
  var range = document.createRange();
  range.selectNode(place);
  place.appendChild(range.createContextualFragment(html));
}

// clear takes away what a run has shown.
function clear(place) {
  place.querySelectorAll("[_echarts_instance_]").forEach(function (e) { window.echarts.getInstanceByDom(e).dispose(); });
  place.textContent = "";
}

// outputs returns what a cell of the notebook shows, and an empty place behind it for what a run
// does, whatever script runs it.
function outputs(root) {
  var own = root.querySelector(".jp-Cell-outputWrapper") || element(root, "div");
  var place = root.querySelector(".dpb-again");
  if (!place) {
    place = document.createElement("div");
    place.className = "dpb-again jp-RenderedHTMLCommon";
    place.hidden = true;
    root.insertBefore(place, own.nextSibling);
  }
  return {own: own, place: place};
}
