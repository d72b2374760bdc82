package catalog

import (
	"bytes"
	"encoding/json"
	"testing"
)

// A misspelt field name in models.json would be ignored silently.
func TestRowsHaveKnownFieldsOnly(t *testing.T) {
	t.Parallel()
	for _, line := range loaded().rows {
		var known struct {
			row
			WindowSources int    `json:"window_sources"` // how many sources agree on the window
			Source        string `json:"src"`
			PriceSource   string `json:"price_src"`
			Note          string `json:"note"`
		}
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&known); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}
