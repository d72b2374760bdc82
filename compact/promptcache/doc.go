// Package promptcache models a provider's prompt cache with marks (cache breakpoints): after which messages a request sets
// them, which cache lifetime it asks for, and how many tokens a later request reads from the cache. It does no I/O.
//
// Such a cache holds a prompt up to each mark of a request. A request finds the longest of these that it begins with,
// if it has a mark there or at most LookBack blocks of content behind it. What is found is read at a fraction of the
// price of input and lives on; what is not found is written, which costs more than input. A request can have the cache
// keep what it writes for a short time or a long one; the long one costs more. (Anthropic, Messages API, "Prompt
// caching".)
package promptcache
