// Package transfer exports conversations to files and imports them. An exported JSON document is imported without loss;
// recordings of other programs can be imported, too.
package transfer
