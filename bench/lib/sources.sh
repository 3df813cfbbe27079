# sources - sourced by benches that need Debian's source packages. Wants $B, the bench's folder,
# and die(); `fetch NAME` leaves the upstream tree in $B/src/NAME, `fetch_debian NAME` the packaging
# in $B/src/NAME.debian.
#
# The machine's own Debian sources, asked for source packages (also of the next release: mirrors
# drop superseded sources), with lists of our own: nothing of the machine's apt is changed.
apt_options="-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=$B/apt/parts -o Dir::State::Lists=$B/apt/lists"

sources() {
	mkdir -p "$B/apt/lists/partial" "$B/apt/parts"
	for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list; do
		grep -q debian "$list" 2>/dev/null || continue
		sed 's/^Types: deb$/Types: deb-src/; s/^Suites: bookworm /&trixie /; s/^deb /deb-src /' "$list" >"$B/apt/parts/$(basename "$list")"
	done
	apt-get -qq $apt_options update || die "cannot read Debian's list of sources"
}

download() { # source package
	mkdir -p "$B/src"
	[ -d "$B/apt/parts" ] || sources
	(cd "$B/src" && apt-get -qq $apt_options source --download-only "$1" >/dev/null 2>&1)
}

unpack() { # source package, tarball's middle (orig, debian), folder
	(cd "$B/src" && rm -rf "$3.new" && mkdir "$3.new" &&
	 tar -C "$3.new" --strip-components=1 -xf "$(ls "${1}"_*."$2".tar.?z* | grep -v asc | tail -n 1)" && mv "$3.new" "$3")
}

fetch() { # source package
	[ -d "$B/src/$1" ] && return
	# A mirror may have lost the packaging of a superseded version and still have its source.
	download "$1"
	unpack "$1" orig "$1" || die "cannot fetch the source of $1"
}

fetch_debian() { # source package: its packaging, for tests kept there
	[ -d "$B/src/$1.debian" ] && return
	fetch "$1"
	ls "$B/src/${1}"_*.debian.tar.?z* >/dev/null 2>&1 || download "$1"
	unpack "$1" debian "$1.debian" || die "cannot fetch the packaging of $1"
}
