package setup

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"plimsoll/config"
)

// The user's favorite and recent models are stored in the state folder. An unreadable file counts as empty, and if two
// windows write at the same time the later one wins.

// Picks are favorite and recent models, by name.
type Picks struct {
	Favorites []string `json:"favorites"`
	Recent    []string `json:"recent"` // the newest first
}

// maxRecent is how many recent models are stored.
const maxRecent = 5

// Picks reads the stored favorite and recent models.
func (s *Settings) Picks() (p Picks) {
	if !readJSON(s.picksFile(), &p) {
		return Picks{}
	}
	return p
}

func (s *Settings) picksFile() string { return filepath.Join(s.Paths.State, "models.json") }

// SetFavorite marks a model as a favorite, or removes the mark.
func (s *Settings) SetFavorite(model string, isFavorite bool) error {
	p := s.Picks()
	p.Favorites = slices.DeleteFunc(p.Favorites, func(name string) bool { return name == model })
	if isFavorite {
		p.Favorites = append(p.Favorites, model)
	}
	return writeJSON(s.picksFile(), "keeping your choice of models", p)
}

// AddRecent adds a model to the recent ones.
func (s *Settings) AddRecent(model string) error {
	p := s.Picks()
	p.Recent = slices.DeleteFunc(p.Recent, func(name string) bool { return name == model })
	p.Recent = slices.Insert(p.Recent, 0, model)
	p.Recent = p.Recent[:min(len(p.Recent), maxRecent)]
	return writeJSON(s.picksFile(), "keeping your choice of models", p)
}

// readJSON decodes a file, and reports whether that succeeded.
func readJSON(path string, into any) bool {
	data, err := os.ReadFile(path)
	return err == nil && json.Unmarshal(data, into) == nil
}

// writeJSON replaces a file; an error begins with doing.
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
