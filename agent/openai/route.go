package openai

import (
	"encoding/json"

	"plimsoll/conversation"
)

// Signatures and encrypted reasoning are bound to the model that made them:
// sent to another they are an error 400. Therefore a message's extras say which
// route they came by, under routeExtra, and go back only there.

// routeExtra is the name under which extras name their route. It is never sent.
const routeExtra = "plimsoll_route"

func routeOf(who endpoint, model string) string { return who.Name + "/" + model }

// withRoute marks extras with the route they came by.
func withRoute(extras map[string]conversation.RawJSON, route string) map[string]conversation.RawJSON {
	if extras == nil {
		extras = map[string]conversation.RawJSON{}
	}
	name, err := json.Marshal(route)
	if err != nil {
		return nil // a string always has a JSON form
	}
	extras[routeExtra] = name
	return extras
}

// from reports whether extras came by that route.
func from(extras map[string]conversation.RawJSON, route string) bool {
	var name string
	return json.Unmarshal(extras[routeExtra], &name) == nil && name == route
}
