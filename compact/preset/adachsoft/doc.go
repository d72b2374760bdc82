// Package adachsoft reduces repeated tool calls as the published tool compaction of adachsoft does (ADA): of calls that mean
// the same, only the newest keeps its large fields. Sizes and hashes are those of a program in PHP, so the package reads
// and writes JSON as PHP 8 does. It knows nothing of logs and views: whoever has one turns it into [Message] values.
package adachsoft
