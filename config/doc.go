// Package config reads what the user has decided: the configuration file, the workspace's own file and overrides from
// the command line, checked strictly before anything else starts.
//
// What it guarantees:
//
//   - Nothing is ignored, and an unknown key of a workspace file is told ([Loaded.Unknown]). Elsewhere an unknown key, a value of the wrong kind or out of range is a [Problem] that names the file
//     and the line, shows that line, and offers the nearest known key. All problems of a load are reported together.
//   - No input makes it panic, hang or use unbounded memory: files are at most [MaxFileSize] bytes and their nesting is
//     bounded before the YAML parser sees them. A workspace file comes with a cloned repository and is hostile text.
//   - A workspace file never loosens permissions, never changes endpoints and never rebinds keys on its own: such keys
//     come back as [Refused], unless the caller says that the user trusts the workspace.
//   - Keys and tokens are no part of a configuration (a provider names the environment variable that holds its key).
//     Header values, the one place where a secret may stand, are hidden by every way of printing a [Config], and
//     anything that looks like a key is hidden in problems.
//   - The struct is the documentation: [Options] lists every key with its type, default and meaning, and
//     docs/configuration.md and config.yaml.example are tested against it.
//
// The package reads files and the environment it is handed, and nothing else: no globals, no network. It is the only
// package that knows YAML.
package config
