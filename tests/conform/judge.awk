# SPDX-License-Identifier: LGPL-2.1-or-later
# The rule of run.sh. Reads lines "SIDE UNIT TEST VERDICT" with tabs between, where SIDE is plain or under, and prints
# "JUDGEMENT UNIT TEST PLAIN UNDER", where the last two are counts of verdicts like "ok 10, fail 1".
# A line without a test stands for a run of the unit. A test that has fewer verdicts than its unit has runs was missing
# in the others. Where tests ran alone VERDICT is "again" in that line, and only the tests in the file "unlike", lines
# "UNIT TEST", were to run.
BEGIN {
	FS = OFS = "\t"
	while ((getline test < unlike) > 0)
		alone[test] = 1
}

$3 == "" { runs[$1, $2, $4]++; next }
{
	tests[$2 FS $3] = 1
	seen[$1, $2, $3]++
	count[$1, $2, $3, $4]++
	verdicts[$4] = 1
}

# How often that verdict was given; a missing one is the verdict "missing"
function of(side, test, verdict,    part, all) {
	split(test, part, FS)
	if (verdict == "missing") {
		all = runs[side, part[1], "round"] + (test in alone ? runs[side, part[1], "again"] : 0)
		return all - seen[side, part[1], part[2]]
	}
	return count[side, part[1], part[2], verdict] + 0
}

function counts(side, test,    text, verdict) {
	for (verdict in verdicts)
		if (of(side, test, verdict) > 0)
			text = text (text == "" ? "" : ", ") verdict " " of(side, test, verdict)
	return text == "" ? "none 0" : text
}

function judge(test,    verdict, strange, usual, all_plain, all_under) {
	for (verdict in verdicts) {
		all_plain += of("plain", test, verdict)
		all_under += of("under", test, verdict)
		if (of("plain", test, verdict) == 0)
			strange += of("under", test, verdict)
		if (usual == "" || of("plain", test, verdict) > of("plain", test, usual))
			usual = verdict
	}
	if (all_plain == 0 || all_under == 0)
		return "DIFFERS"
	if (strange >= 2 || of("plain", test, usual) / all_plain >= \
	    of("under", test, usual) / all_under + 0.5)
		return "DIFFERS"
	return strange == 1 ? "once" : "same"
}

END {
	verdicts["missing"] = 1
	for (test in tests)
		print judge(test), test, counts("plain", test), counts("under", test)
}
