// Package promptcache says how the prompt cache of a provider is used that takes marks: behind which messages they go,
// for how long what is written is to be kept, and what a later request finds. It does no I/O and knows no wire.
//
// Such a cache holds a prompt up to each mark of a request. A request finds the longest of these that it begins with,
// if it has a mark there or at most LookBack blocks of content behind it. What is found is read at a fraction of the
// price of input and lives on; what is not found is written, which costs more than input. A request can have the cache
// keep what it writes for a short time or a long one; the long one costs more. (Anthropic, Messages API, "Prompt
// caching".)
package promptcache
