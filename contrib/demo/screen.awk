# SPDX-License-Identifier: LGPL-2.1-or-later
# A terminal's text as a picture: awk -f screen.awk report.txt >screen.svg
function escaped(text) {
	gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text)
	return text
}
{ lines[NR] = $0; if (length($0) > wide) wide = length($0) }
END {
	width = int(wide * 7.85) + 32; height = NR * 18 + 28
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n", width, height, width, height
	print "<title>pprofil on a terminal</title>"
	print "<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#16181d\"/>"
	print "<g font-family=\"DejaVu Sans Mono,Menlo,Consolas,monospace\" font-size=\"13\" fill=\"#d7dae0\" xml:space=\"preserve\">"
	for (i = 1; i <= NR; i++) {
		y = i * 18 + 10
		if (match(lines[i], /^ *[0-9]+\.[0-9]+ /))
			printf "<rect x=\"16\" y=\"%d\" width=\"%d\" height=\"16\" rx=\"2\" fill=\"#2f5d8a\" opacity=\"0.75\"/>\n", y - 13, lines[i] * (width - 32) / 100
		color = lines[i] ~ /^\$/ ? " fill=\"#8fd18f\"" : lines[i] ~ /^#/ ? " fill=\"#8a919e\"" : ""
		printf "<text x=\"16\" y=\"%d\"%s>%s</text>\n", y, color, escaped(lines[i])
	}
	print "</g>\n</svg>"
}
