package sandbox

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// The profile of sandbox-exec, with which macOS confines commands. The system refuses what the profile does not name, and a later
// rule wins over an earlier one. This file compiles on every system, so that its tests run everywhere; no Mac has run it.

// macPaths are paths that every command may read, in addition to systemPaths. macOS has only some of those.
var macPaths = []string{"/System", "/Library/Apple", "/Library/Developer", "/Library/Frameworks", "/Library/Java",
	"/Library/Preferences", "/Library/Caches", "/Applications/Xcode.app", "/private/etc", "/private/var/db/dyld",
	"/private/var/db/timezone", "/private/var/db/xcode_select_link", "/private/var/select", "/private/var/run/resolv.conf", "/dev"}

// seatbeltBase lets programs run. It leaves out Apple events, Launch Services and the keychain, through which a program can make
// others act for it.
const seatbeltBase = `(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal process-info* mach-priv-task-port (target same-sandbox))
(allow sysctl-read)
(allow file-read-metadata)
(allow file-read* (literal "/"))
(allow mach-lookup
  (global-name "com.apple.system.opendirectoryd.libinfo") (global-name "com.apple.system.opendirectoryd.membership")
  (global-name "com.apple.system.logger") (global-name "com.apple.logd") (global-name "com.apple.system.notification_center")
  (global-name "com.apple.bsd.dirhelper") (global-name "com.apple.trustd.agent") (global-name "com.apple.FSEvents")
  (global-name "com.apple.PowerManagement.control") (global-name "com.apple.cfprefsd.daemon") (global-name "com.apple.cfprefsd.agent"))
(allow ipc-posix-sem)
(allow ipc-posix-shm-read-data ipc-posix-shm-write-create ipc-posix-shm-write-data ipc-posix-shm-write-unlink)
(allow user-preference-read)
(allow system-socket (require-all (socket-domain AF_SYSTEM) (socket-protocol 2)))
(allow pseudo-tty)
(allow file-ioctl file-write* (regex #"^/dev/(null|zero|tty|ptmx|ttys[0-9]+|dtracehelper)$"))
(allow file-write-data (subpath "/dev/fd"))
`

// seatbeltOpen allows all of the network, with the services that look up names and check certificates.
const seatbeltOpen = `(allow network*)
(allow mach-lookup (global-name "com.apple.SystemConfiguration.configd") (global-name "com.apple.SystemConfiguration.DNSConfiguration")
  (global-name "com.apple.networkd") (global-name "com.apple.dnssd.service") (global-name "com.apple.ocspd") (global-name "com.apple.SecurityServer"))
`

// seatbelt returns the profile for the files of r. Without network, a command reaches only a port of 127.0.0.1, none if port is 0,
// and the local sockets in folders that it may write.
func seatbelt(r rules, network bool, port int) string {
	var b strings.Builder
	b.WriteString(seatbeltBase)
	list := func(what string, paths []string) {
		if len(paths) == 0 {
			return
		}
		b.WriteString("(" + what)
		for _, p := range paths {
			b.WriteString("\n  (subpath " + seatbeltText(p) + ")")
		}
		b.WriteString(")\n")
	}
	list("allow file-read*", append(macPaths, append(r.read, r.write...)...))
	list("allow file-write*", r.write)
	list("allow network*", r.write)
	list("deny file-write*", r.fixed)
	for _, path := range r.movable() {
		fmt.Fprintf(&b, "(deny file-write-unlink (literal %s))\n", seatbeltText(path))
	}
	for _, git := range r.repositories() { // a command could create these files if they do not exist yet
		fmt.Fprintf(&b, "(deny file-write* (regex #\"^%s/(modules|worktrees)/.*(hooks|config|config\\.worktree|commondir|gitdir)(/.*)?$\"))\n",
			strings.ReplaceAll(regexp.QuoteMeta(git), `"`, "."))
	}
	list("deny file-read* file-write* network*", r.hidden)
	switch {
	case network:
		b.WriteString(seatbeltOpen)
	case port != 0:
		fmt.Fprintf(&b, "(allow network-outbound (remote ip \"localhost:%d\"))\n", port)
	}
	return b.String()
}

// movable returns the folders between a writable folder and a fixed or hidden path in it. Moving one would move that path, too.
func (r rules) movable() (out []string) {
	for _, w := range r.write {
		for _, path := range append(r.fixed, r.hidden...) {
			for dir := filepath.Dir(path); below(path, w) && dir != w && below(dir, w); dir = filepath.Dir(dir) {
				out = appendNew(out, dir)
			}
		}
	}
	return out
}

// repositories returns the .git folders of repositories whose hooks are fixed.
func (r rules) repositories() (out []string) {
	for _, path := range r.fixed {
		if filepath.Base(path) == "hooks" && !strings.Contains(path, "/modules/") {
			out = append(out, filepath.Dir(path))
		}
	}
	return out
}

// seatbeltText writes a path as a text of the profile.
func seatbeltText(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
}
