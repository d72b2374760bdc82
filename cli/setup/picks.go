package setup

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"plimsoll/config"
)

// Which models the user marked and used of late stands in the state folder. It is a
// convenience: what cannot be read is nothing, and of two windows that write at once
// the later wins.

// Picks are models by name.
type Picks struct {
	Favorites []string `json:"favorites"`
	Recent    []string `json:"recent"` // the newest first
}

// mostRecent is how many models are kept as used of late.
const maxRecent = 5

// Picks is what is kept.
func (s *Settings) Picks() (p Picks) {
	if !readJSON(s.picksFile(), &p) {
		return Picks{}
	}
	return p
}

func (s *Settings) picksFile() string { return filepath.Join(s.Paths.State, "models.json") }

// Favor marks a model as a favorite, or no longer.
func (s *Settings) SetFavorite(model string, on bool) error {
	p := s.Picks()
	p.Favorites = slices.DeleteFunc(p.Favorites, func(name string) bool { return name == model })
	if on {
		p.Favorites = append(p.Favorites, model)
	}
	return writeJSON(s.picksFile(), "keeping your choice of models", p)
}

// Used notes that a model was chosen.
func (s *Settings) NoteUsed(model string) error {
	p := s.Picks()
	p.Recent = slices.DeleteFunc(p.Recent, func(name string) bool { return name == model })
	p.Recent = slices.Insert(p.Recent, 0, model)
	p.Recent = p.Recent[:min(len(p.Recent), maxRecent)]
	return writeJSON(s.picksFile(), "keeping your choice of models", p)
}

// readJSON reads a file, and reports whether it is there and whole.
func readJSON(path string, into any) bool {
	data, err := os.ReadFile(path)
	return err == nil && json.Unmarshal(data, into) == nil
}

// keepJSON replaces a file; the error begins with what was done.
func writeJSON(path, doing string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err == nil {
		err = config.ReplaceFile(path, append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}
