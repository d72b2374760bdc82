// Package promptcache models a provider's prompt cache with breakpoints: after which messages a request sets
// them, which cache lifetime it asks for, and how many tokens a later request reads from the cache. It does no I/O.
//
// Such a cache stores the prompt up to each breakpoint of a request. A later request reads the longest stored prompt that it
// begins with, if it has a breakpoint at the same position or at most LookbackBlocks content blocks later. Cached tokens cost a
// fraction of the input price, and reading renews their lifetime. Other tokens are written to the cache, which costs more than
// plain input. A request chooses a short or a long lifetime for what it writes; the long one costs more. (Anthropic, Messages
// API, "Prompt caching".)
package promptcache
