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
const mostRecent = 5

// Picks is what is kept.
func (s *Settings) Picks() Picks {
	var p Picks
	data, err := os.ReadFile(filepath.Clean(s.picksFile()))
	if err != nil || json.Unmarshal(data, &p) != nil {
		return Picks{}
	}
	return p
}

func (s *Settings) picksFile() string { return filepath.Join(s.Paths.State, "models.json") }

// Favor marks a model as a favorite, or no longer.
func (s *Settings) Favor(model string, on bool) error {
	p := s.Picks()
	p.Favorites = slices.DeleteFunc(p.Favorites, func(name string) bool { return name == model })
	if on {
		p.Favorites = append(p.Favorites, model)
	}
	return s.keepPicks(p)
}

// Used notes that a model was chosen.
func (s *Settings) Used(model string) error {
	p := s.Picks()
	p.Recent = slices.DeleteFunc(p.Recent, func(name string) bool { return name == model })
	p.Recent = slices.Insert(p.Recent, 0, model)
	p.Recent = p.Recent[:min(len(p.Recent), mostRecent)]
	return s.keepPicks(p)
}

func (s *Settings) keepPicks(p Picks) error {
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	if err := config.ReplaceFile(s.picksFile(), append(data, '\n')); err != nil {
		return fmt.Errorf("keeping your choice of models: %w", err)
	}
	return nil
}
