// Package measure replays recorded conversations by the rules of presets and
// settings, and has the package replay of compact measure what that costs and hides.
package measure
