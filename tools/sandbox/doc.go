// Package sandbox starts commands confined: to the files that they need, without the user's secrets, without the network
// unless it is allowed, unable to reach other processes or to outlive the program.
//
// # How, on Linux
//
//   - A thread of this process confines itself (no new privileges, Landlock, seccomp) and starts the commands, which inherit
//     that. Nothing is executed for it, so a command starts hardly later, and all commands of one profile are in one domain of
//     Landlock: they can signal each other, and nobody else.
//   - One helper for each run, started with the first command, makes namespaces of users, mounts, processes and the network
//     (spaces_linux.go). Commands enter them by nsenter. There the network is a loopback device of its own, what is not
//     writable is mounted read-only, sockets and secrets are covered, and all ends with the program.
//   - Where the kernel refuses namespaces, the thread does alone: nothing can then keep a command from .git/hooks in a workspace that
//     it writes, from changing the mode of files, or from daemons, and no command reaches servers on this machine. State says so.
//
// # Elsewhere
//
// macOS has sandbox-exec, with a profile for each command (seatbelt.go). Other systems have no means yet; Auto confines nothing
// there, and State says so.
//
// # Guarantees
//
//   - New reads and starts nothing.
//   - Without a home folder of its own a command reads the system, its workspace, the programs of PATH and known toolchains;
//     it writes the workspace, a temporary folder and Config.Write. Config.Secrets, known places of secrets and the program's own
//     files are never among them.
//   - A [Program], such as an MCP server, has a sandbox or a way to the network of its own, and says what it was kept from.
//   - A mode that is demanded (Workspace, ReadOnly) and cannot be had is an error; Auto does what the system can.
//
// # What it does not keep
//
// A command may change what the user runs later: sources, build scripts and tests of the workspace, and caches in
// Config.Write from which compilers and package managers take code without checking it again (docs/sandbox.md lists them).
package sandbox
