#!/bin/sh
# Reports of results as a browser sees them: well-formed, without errors, figures of some size and with all they refer
# to, nothing wider than a telephone. Usage: report.sh COSWEEP RESULT...
set -eu

for tool in xmllint chromium gnuplot; do
  command -v $tool > /dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done
cosweep=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
  echo "$1" >&2
  exit 1
}

# browse WIDTH PAGE: its document after loading in "page.out", what the console says in "page.err".
browse() {
  timeout 120 chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
    --user-data-dir="$folder/profile" --enable-logging=stderr --window-size="$1",900 --dump-dom "file://$2" \
    > "$folder/page.out" 2> "$folder/page.err" || fail "$2: chromium failed: $(cat "$folder/page.err")"
}

# The console is heard at all.
echo '<!DOCTYPE html><html><body><script>console.error("heard")</script></body></html>' > "$folder/control.html"
browse 1000 "$folder/control.html"
grep -q 'CONSOLE.*heard' "$folder/page.err" || fail "the browser's console is not heard"

# What is wrong with the page; runs in a copy that allows scripts.
cat > "$folder/probe.html" << 'END'
<script>
const wrong = [];
const figures = [...document.querySelectorAll("figure svg")];
for (const svg of figures) {
  const box = svg.getBoundingClientRect(), drawn = [...svg.querySelectorAll("path, polyline, text, use, image")];
  if (!(box.width > 200 && box.height > 100)) wrong.push("a figure of " + box.width + " x " + box.height);
  if (!drawn.some(e => e.tagName !== "text" && e.getBoundingClientRect().width > 50)) wrong.push("no curve");
  if (!drawn.some(e => e.tagName === "text" && e.getBoundingClientRect().width > 5)) wrong.push("no text");
}
const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
for (const id of new Set(ids)) if (ids.filter(i => i === id).length > 1) wrong.push("id twice: " + id);
const captions = [...document.querySelectorAll("figcaption")].map(e => e.textContent);
if (new Set(captions).size < captions.length) wrong.push("a figure twice");
const parts = [...document.querySelectorAll("figure svg, nav")].map(e => e.outerHTML).join("");
const refer = [...parts.matchAll(/(?:href="#|url\((?:&quot;)?#)([^")&]+)/g)];
for (const [, id] of refer) if (!document.getElementById(id)) wrong.push("nothing has the id " + id);
const wide = document.documentElement.scrollWidth - window.innerWidth;
if (wide > 0) wrong.push("wider than the window by " + wide);
document.body.setAttribute("data-probe", figures.length + " figures, " + (wrong.join("; ") || "nothing wrong"));
</script>
END

for result in "$@"; do
  page=$folder/$(basename "$result" .h5).html
  "$cosweep" report "$result" -o "$page" > /dev/null
  xmllint --noout "$page" || fail "$page: not well-formed"
  if grep -n -i -E '<script|<iframe|<link|src="http|@import' "$page"; then fail "$page: not self-contained"; fi
  browse 1000 "$page"
  if grep CONSOLE "$folder/page.err"; then fail "$page: the browser complains"; fi
  sed -e '/Content-Security-Policy/d' -e "/^<\/body>/{
r $folder/probe.html
}" "$page" > "$folder/probed.html"
  for width in 1200 500; do
    browse $width "$folder/probed.html"
    found=$(sed -n 's/.*<body data-probe="\([^"]*\)".*/\1/p' "$folder/page.out")
    echo "$(basename "$result") at $width: $found"
    case $found in
      0*) fail "no figures" ;;
      *"nothing wrong") ;;
      *) fail "$found" ;;
    esac
  done
done
