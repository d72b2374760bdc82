// Package config reads and checks the configuration: the user's file, the settings file that the program writes, the
// workspace's file, and overrides from the command line.
//
// Guarantees:
//
//   - An unknown key, or a value of the wrong type or out of range, is a [Problem] that names file and line, shows the
//     line, and suggests the nearest known key. All problems of a load are reported together. Unknown keys of a workspace
//     file do not fail the load; they are reported in [Loaded.Unknown].
//   - No input can make it panic, hang or use unbounded memory: size and nesting of a file are checked before the YAML
//     parser sees it ([MaxFileSize]). A workspace file comes with a cloned repository and is not trusted.
//   - A workspace file cannot loosen permissions, change endpoints or rebind keys, unless the user trusts it. Such values
//     are returned in [Loaded.Refused] and not applied.
//   - API keys are not part of a configuration: a provider names the environment variable that holds its key. Header
//     values may be secret; they are hidden however a [Config] is printed. Text that looks like an API key is hidden in
//     problems.
//   - The struct tags are the documentation: [Options] lists every key with its type, default and meaning, and
//     docs/configuration.md and config.yaml.example are tested against it.
//
// The package reads only files and the environment passed to it: no globals, no network. No other package uses YAML.
package config
