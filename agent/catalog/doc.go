// Package catalog knows models: windows, prices and quirks, from a table that
// is part of the program.
//
// The same model id has different windows and prices at different providers,
// so a model is looked up by provider and id ([Lookup]); an id alone is
// resolved to the provider that made the model ([ByID]). What an endpoint says
// of itself always beats the catalogue.
//
// The table is parsed at the first look-up, once; a start that needs no model
// facts does not pay for it. Look-ups are safe for concurrent use.
package catalog
