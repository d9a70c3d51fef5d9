#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Profiles a program beside this container all the time, whenever it runs. The variables are those of
# contrib/systemd/example.conf; PPROFIL_TARGET says what to profile.
set -u
: "${PPROFIL_TARGET:?it says what to profile, such as -p nginx}"
folder=${PPROFIL_FOLDER:-/profiles}
# pprofil reads PPROFIL_OPTIONS itself
export PPROFIL_OPTIONS="${PPROFIL_OPTIONS:--g}"
export PPROFIL_URL="${PPROFIL_URL:-}" PPROFIL_PUSH_OPTIONS="${PPROFIL_PUSH_OPTIONS:-}" PPROFIL_QUEUE="$folder/queue"
# names of files have the local time, and an hour of it occurs twice a year
export TZ=UTC

child='' ended=
# pprofil is asked to end, and saves what it has
trap 'ended=yes; kill "$child" 2>/dev/null' TERM INT
# wait(1) ends when a signal comes, so it is asked again
await() { while kill -0 "$child" 2>/dev/null; do wait "$child"; done; }
while [ -z "$ended" ]; do
	# shellcheck disable=SC2016,SC2086
	pprofil -q $PPROFIL_TARGET --every "${PPROFIL_EVERY:-60s}" --keep "${PPROFIL_KEEP:-60}" \
		-o "$folder/%t.pb.gz" --then '[ -z "$PPROFIL_URL" ] ||
			exec pprofil push -q --queue "$PPROFIL_QUEUE" $PPROFIL_PUSH_OPTIONS "$PPROFIL_URL"' &
	child=$!
	[ -z "$ended" ] || kill "$child" # the signal came before there was a child
	await
	[ -z "$ended" ] || break
	sleep 5 & # the program does not run now, or has ended
	child=$!
	await
done
exit 0
