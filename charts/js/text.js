// widthOf is a cautious estimate, so that the room left is the same wherever the figure is drawn.
function widthOf(text, size) {
  var w = 0;
  for (var i = 0; i < text.length; i++) {
    w += /[ .,:;'!|ijlftr()[\]]/.test(text[i]) ? 0.36 : /[A-Zmw%@—]/.test(text[i]) ? 0.82 : text[i] > "\u2e80" ? 1 : 0.58;
  }
  return w * size;
}

function wrap(text, size, width) {
  var lines = [], line = "";
  (text || "").split(" ").forEach(function (word) {
    var longer = line ? line + " " + word : word;
    if (line && widthOf(longer, size) > width) { lines.push(line); line = word; } else line = longer;
  });
  return line ? lines.concat(line) : lines;
}
