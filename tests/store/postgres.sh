# postgres - sourced after tap.sh by tests that need a server: a throw-away cluster under $tmp, on a
# Unix socket only, as an unprivileged user, without fsync; stopped by the trap.
#
#   pg_start            make it and start it; false where there is no PostgreSQL
#   pg_url NAME         location of a new empty database
#   pg_sql NAME SQL     what psql prints, unaligned
#   pg_halt, pg_again   stop it at once (as a crash does); start it again
pg_bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
pg_dir=$tmp/pg
pg_user=$(id -un)
[ "$(id -u)" != 0 ] || pg_user=$(id -un postgres 2>/dev/null || echo nobody)
pg_as() { # as the unprivileged user
	if [ "$(id -u)" = 0 ]; then (cd / && setpriv --reuid="$pg_user" --regid="$(id -g "$pg_user")" --clear-groups "$@"); else "$@"; fi
}
pg_start() {
	[ -x "$pg_bin/initdb" ] || return 1
	trap 'pg_halt; rm -rf "$tmp"' EXIT
	chmod 755 "$tmp" && mkdir "$pg_dir" && chmod 700 "$pg_dir"
	[ "$(id -u)" != 0 ] || chown "$pg_user" "$pg_dir"
	pg_as "$pg_bin/initdb" -D "$pg_dir/data" -A trust -U deadheat -N -E UTF8 --locale=C >"$tmp/pg.log" 2>&1 || return 1
	cat >>"$pg_dir/data/postgresql.conf" <<-X
		listen_addresses = ''
		unix_socket_directories = '$pg_dir'
		unix_socket_permissions = 0777
		fsync = off
		full_page_writes = off
		max_connections = ${PG_CONNECTIONS:-60}
		shared_buffers = ${PG_BUFFERS:-32MB}
		logging_collector = off
	X
	pg_again && chmod 755 "$pg_dir"
}
pg_again() { pg_as "$pg_bin/pg_ctl" -D "$pg_dir/data" -l "$pg_dir/log" -w -t 60 start >>"$tmp/pg.log" 2>&1; }
pg_halt() { [ ! -f "$pg_dir/data/postmaster.pid" ] || pg_as "$pg_bin/pg_ctl" -D "$pg_dir/data" -m immediate -w -t 60 stop >/dev/null 2>&1; }
pg_sql() { "$pg_bin/psql" -h "$pg_dir" -U deadheat -d "$1" -XAtq -c "$2"; }
pg_named() { echo "postgresql://deadheat@/$1?host=$pg_dir"; }
pg_url() {
	pg_sql template1 "CREATE DATABASE $1 STRATEGY file_copy" && pg_named "$1"
}
