# SPDX-License-Identifier: LGPL-2.1-or-later
# Real programs that fill their CPUs, for loss.sh, which sources this. They are made in $work.

# A Go program whose garbage collector works on all CPUs.
go_program() {
	command -v go >/dev/null || return 1
	cat >"$work/collect.go" <<-'END'
		package main

		type tree struct{ left, right *tree }

		func grow(depth int) *tree {
			if depth == 0 {
				return &tree{}
			}
			return &tree{grow(depth - 1), grow(depth - 1)}
		}

		func main() {
			kept := grow(18)
			for i := 0; i < 400; i++ {
				grow(16)
			}
			_ = kept
		}
	END
	(cd "$work" && GOCACHE=$work/go-cache GO111MODULE=off go build -o collect collect.go) >/dev/null 2>&1
}

# C files that each run compiles, two at a time.
make_tree() {
	mkdir "$work/tree"
	for i in $(seq 24); do
		{
			echo '#include <stdio.h>'
			for j in $(seq 120); do
				echo "int f${i}_$j(int x) { for (int i = 0; i < x; i++) x = x * 31 + printf(\"%d\", i % $j); return x; }"
			done
		} >"$work/tree/f$i.c"
	done
	cat >"$work/tree/Makefile" <<-'END'
		objects = $(patsubst %.c,%.o,$(wildcard *.c))
		all: $(objects)
		%.o: %.c; cc -O2 -c -o $@ $<
		clean:; rm -f $(objects)
	END
	cat >"$work/make.sh" <<-END
		make -s -C $work/tree clean
		make -s -j$(nproc) -C $work/tree
	END
}

# A database server that serves a fixed number of transactions of its own benchmark.
database() {
	local bin
	bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
	[ -n "$bin" ] && command -v pgbench >/dev/null && [ "$(id -u)" = 0 ] || return 1
	mkdir "$work/database" && chmod 755 "$work" && chown nobody "$work/database"
	(cd / && runuser -u nobody -- "$bin/initdb" -D "$work/database" -U nobody) >/dev/null 2>&1 || return 1
	cat >"$work/database.sh" <<-END
		cd /
		runuser -u nobody -- $bin/postgres -D $work/database -k $work/database -c listen_addresses= -c fsync=off &
		until $bin/pg_isready -q -h $work/database; do sleep 0.05; done
		pgbench -h $work/database -U nobody "\$@" postgres
		kill -INT \$(head -n 1 $work/database/postmaster.pid)
		wait
	END
	bash "$work/database.sh" -q -i -s 10 >/dev/null 2>&1
}

# Stops the server of a run that was interrupted.
database_stop() {
	[ -s "$work/database/postmaster.pid" ] && kill -INT "$(head -n 1 "$work/database/postmaster.pid")"
}
