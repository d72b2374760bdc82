// Package adachsoft reduces repeated tool calls exactly as the published tool compaction of adachsoft does: of
// repeated calls, only the newest keeps its large fields. It is a PHP program, and its sizes and hashes depend on
// PHP's JSON, so this package reads and writes JSON as PHP 8 does. It does not depend on logs or views: callers
// convert theirs to [Message] values.
package adachsoft
