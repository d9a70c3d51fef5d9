# SPDX-License-Identifier: LGPL-2.1-or-later
# Stacks as lines become a profile.proto in protobuf's text, for protoc --encode. A line has
# tab-separated fields: samples of a millisecond, then frames, outermost first, each OBJECT:NAME.
# Names are written as protobuf's text has them: \001 is a control character.
BEGIN { FS = "\t"; strings[""] = 0; string_list[0] = ""; string_count = 1 }
function string(text) {
	if (!(text in strings)) { strings[text] = string_count; string_list[string_count++] = text }
	return strings[text]
}
function location(frame,    object, name) {
	if (frame in locations) return locations[frame]
	object = frame; sub(/:.*/, "", object)
	name = frame; sub(/^[^:]*:/, "", name)
	if (!(object in mappings)) {
		mappings[object] = ++mapping_count
		printf "mapping { id: %d memory_start: %d memory_limit: %d filename: %d has_functions: true }\n",
			mapping_count, mapping_count * 1000000000, (mapping_count + 1) * 1000000000, string(object)
	}
	locations[frame] = ++location_count
	printf "function { id: %d name: %d system_name: %d }\n", location_count, string(name), string(name)
	printf "location { id: %d mapping_id: %d address: %d line { function_id: %d } }\n", location_count,
		mappings[object], mappings[object] * 1000000000 + location_count * 16, location_count
	return location_count
}
{
	ids = ""
	for (i = NF; i > 1; i--) ids = ids " location_id: " location($i)
	printf "sample {%s value: %d value: %d }\n", ids, $1, $1 * 1000000
}
END {
	printf "sample_type { type: %d unit: %d }\n", string("samples"), string("count")
	printf "sample_type { type: %d unit: %d }\n", string("cpu"), string("nanoseconds")
	for (i = 0; i < string_count; i++) printf "string_table: \"%s\"\n", string_list[i]
}
