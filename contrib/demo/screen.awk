# SPDX-License-Identifier: LGPL-2.1-or-later
# Draws a terminal's text as a picture: with its colours, or with bars for shares where it has no colours.
#   LC_ALL=C awk -f screen.awk report.txt >screen.svg
#   tmux capture-pane -e -p -N | LC_ALL=C awk -f screen.awk -v title="pprofil top" >top.svg
# Bytes are counted, as mawk does; so every awk needs LC_ALL=C.
BEGIN {
	split("16181d cc4a4a 6fae5c c9a227 4f86c6 a56ab8 3f9ea6 d7dae0 " \
	      "6b7280 e06c6c 98c379 e5c07b 61afef c678dd 56b6c2 ffffff", base, " ")
	split("00 5f 87 af d7 ff", level, " ")
	ground = "16181d"; ink = "d7dae0"; cell = 7.85
	if (title == "") title = "pprofil on a terminal"
}
function escaped(text) {
	gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text)
	return text
}
function columns(text) { gsub(/[\200-\277]/, "", text); return length(text) }
function colour(n) {
	if (n < 16) return base[n + 1]
	if (n >= 232) return sprintf("%02x%02x%02x", n * 10 - 2312, n * 10 - 2312, n * 10 - 2312)
	n -= 16
	return level[int(n / 36) + 1] level[int(n / 6) % 6 + 1] level[n % 6 + 1]
}
function style(codes,    n, i, c) {
	n = split(codes == "" ? "0" : codes, c, ";")
	for (i = 1; i <= n; i++) {
		if (c[i] == 0) { front = back = ""; bold = reverse = 0 }
		else if (c[i] == 1) bold = 1
		else if (c[i] == 22) bold = 0
		else if (c[i] == 7) reverse = 1
		else if (c[i] == 27) reverse = 0
		else if (c[i] == 38) { front = colour(c[i + 2]); i += 2 }
		else if (c[i] == 48) { back = colour(c[i + 2]); i += 2 }
		else if (c[i] == 39) front = ""
		else if (c[i] == 49) back = ""
		else if (c[i] >= 30 && c[i] <= 37) front = base[c[i] - 29]
		else if (c[i] >= 40 && c[i] <= 47) back = base[c[i] - 39]
		else if (c[i] >= 90 && c[i] <= 97) front = base[c[i] - 81]
	}
}
function run(text, column, y,    wide, f, b, after) {
	wide = columns(text)
	f = front == "" ? ink : front; b = back
	if (reverse) { b = f; f = back == "" ? ground : back }
	if (b != "")
		body = body sprintf("<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"18\" fill=\"#%s\"/>\n", 16 + column * cell, y - 13, wide * cell, b)
	after = column + wide
	if (match(text, /^ +/)) { column += RLENGTH; text = substr(text, RLENGTH + 1) }
	sub(/ +$/, "", text)
	wide = columns(text)
	if (wide > 0)
		body = body sprintf("<text x=\"%.1f\" y=\"%d\" textLength=\"%.1f\"%s%s>%s</text>\n", 16 + column * cell, y, wide * cell, f == ink ? "" : " fill=\"#" f "\"", bold ? " font-weight=\"bold\"" : "", escaped(text))
	return after
}
function coloured(line, y,    column, before, codes) {
	column = 0
	while (match(line, /\033\[[0-9;]*m/)) {
		before = substr(line, 1, RSTART - 1)
		codes = substr(line, RSTART + 2, RLENGTH - 3)
		line = substr(line, RSTART + RLENGTH)
		if (before != "") column = run(before, column, y)
		style(codes)
	}
	if (line != "") column = run(line, column, y)
	return column
}
function plain(line, y,    fill) {
	if (match(line, /^ *[0-9]+\.[0-9]+ /))
		body = body sprintf("<rect x=\"16\" y=\"%d\" width=\"%d\" height=\"16\" rx=\"2\" fill=\"#2f5d8a\" opacity=\"0.75\"/>\n", y - 13, line * (wide * cell) / 100)
	fill = line ~ /^\$/ ? " fill=\"#8fd18f\"" : line ~ /^#/ ? " fill=\"#8a919e\"" : ""
	body = body sprintf("<text x=\"16\" y=\"%d\"%s>%s</text>\n", y, fill, escaped(line))
}
{ lines[NR] = $0; text = $0; gsub(/\033\[[0-9;]*m/, "", text); if (columns(text) > wide) wide = columns(text) }
/\033/ { colours = 1 }
END {
	for (i = 1; i <= NR; i++)
		if (colours) coloured(lines[i], i * 18 + 10); else plain(lines[i], i * 18 + 10)
	width = int(wide * cell) + 32; height = NR * 18 + 28
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n", width, height, width, height
	printf "<title>%s</title>\n", escaped(title)
	print "<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#" ground "\"/>"
	print "<g font-family=\"DejaVu Sans Mono,Menlo,Consolas,monospace\" font-size=\"13\" fill=\"#" ink "\" xml:space=\"preserve\">"
	printf "%s", body
	print "</g>\n</svg>"
}
