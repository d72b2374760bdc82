package mcp_test

var scripts = map[string]script{}
