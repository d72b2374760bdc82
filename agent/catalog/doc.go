// Package catalog is the built-in table of models, with their windows, prices and quirks.
//
// The same model id has different windows and prices at different providers, so a model is looked up by provider and id
// ([Lookup]). An id alone is looked up at the provider that made the model ([ByID]). What an endpoint reports about
// itself always wins over the catalogue.
//
// The table is parsed once, at the first look-up, so that a start without one does not pay for it. Look-ups are safe for
// concurrent use.
package catalog
