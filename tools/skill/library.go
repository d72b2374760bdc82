package skill

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plimsoll/conversation/plain"
	"plimsoll/tools/workspace"
)

const (
	maxSkills  = 200  // skills that are read
	maxEntries = 2000 // entries of a source that are looked at
)

// Source is a folder with skills.
type Source struct {
	Folder string // absolute; it need not exist
	Name   string // for the user
	// Workspace is the folder of the workspace that the source came with, "" for one of the user.
	Workspace string
}

// Library holds the skills found. It does not change, and is safe for concurrent use. A nil Library has none.
type Library struct {
	skills  []Skill
	allowed func(content string) (yes, decided bool)
}

// Find reads the skills of sources, which come in the order in which they count. allowed is the user's decision about the content
// of a workspace's skill.
func Find(sources []Source, allowed func(content string) (yes, decided bool)) *Library {
	l := &Library{allowed: allowed}
	for _, source := range sources {
		for _, dir := range source.folders() {
			if len(l.skills) == maxSkills {
				break
			}
			l.add(dir, source)
		}
	}
	slices.SortStableFunc(l.skills, func(a, b Skill) int { return cmp.Compare(a.Name, b.Name) })
	return l
}

// add reads the skill of a folder. A folder that two sources lead to counts once.
func (l *Library) add(dir string, source Source) {
	s, err := read(dir, source.Workspace != "")
	if slices.ContainsFunc(l.skills, func(other Skill) bool { return other.Dir == s.Dir }) {
		return
	}
	s.Source = source.Name
	if s.Problem = l.refusal(s); err != nil {
		s.Problem = plain.Line(err.Error())
	}
	counts := func(other Skill) bool { return other.Name == s.Name && other.Problem == "" }
	if i := slices.IndexFunc(l.skills, counts); i >= 0 && s.Problem == "" {
		s.Problem = "the one of this name in " + l.skills[i].Source + " counts"
	}
	l.skills = append(l.skills, s)
}

// folders lists the folders of a source that hold a SKILL.md, in the order of their names. A source of a workspace has none that
// a link takes out of it.
func (s Source) folders() []string {
	entries, err := os.ReadDir(s.Folder) // sorted; what cannot be read has no skills
	if err != nil || !s.holds(s.Folder) {
		return nil
	}
	var dirs []string
	for _, e := range entries[:min(len(entries), maxEntries)] {
		dir := filepath.Join(s.Folder, e.Name())
		if _, err := os.Lstat(filepath.Join(dir, FileName)); err == nil && s.holds(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// holds reports whether a folder lies where the source may read.
func (s Source) holds(dir string) bool {
	if s.Workspace == "" {
		return true
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	top, err := filepath.EvalSymlinks(s.Workspace)
	_, isBelow := workspace.Within(top, real)
	return err == nil && isBelow
}

// refusal says why a skill is not offered, "" if it is.
func (l *Library) refusal(s Skill) string {
	if s.Content == "" {
		return ""
	}
	switch yes, decided := l.allowed(s.Content); {
	case yes:
		return ""
	case decided:
		return "left out, as you said; plimsoll config trust offers it"
	}
	return "it names tools or brings scripts, and waits for your yes: plimsoll config trust"
}

// All lists all skills in the order of their names, also those with a problem.
func (l *Library) All() []Skill {
	if l == nil {
		return nil
	}
	return slices.Clone(l.skills)
}

// Offered lists the skills that can be loaded, in the order of their names.
func (l *Library) Offered() []Skill {
	return slices.DeleteFunc(l.All(), func(s Skill) bool { return s.Problem != "" })
}

// Load reads a skill that is offered again, so that its text is the present one. The errors are for the model.
func (l *Library) Load(name string) (Skill, error) {
	offered := l.Offered()
	i := slices.IndexFunc(offered, func(s Skill) bool { return s.Name == name })
	if i < 0 {
		if len(offered) == 0 {
			return Skill{}, fmt.Errorf("there is no skill %q any more, nor another; go on without", name)
		}
		var names []string
		for _, s := range offered {
			names = append(names, s.Name)
		}
		return Skill{}, fmt.Errorf("there is no skill %q. The skills are %s", name, strings.Join(names, ", "))
	}
	old := offered[i]
	s, err := read(old.Dir, old.ofWorkspace)
	if err == nil && s.Content != "" {
		if yes, _ := l.allowed(s.Content); !yes {
			err = errors.New("it has changed since the user agreed to it; the user is asked again at the next start")
		}
	}
	if err != nil {
		return Skill{}, fmt.Errorf("the skill %s cannot be loaded: %w", name, err)
	}
	s.Name, s.Source = old.Name, old.Source
	return s, nil
}

// Open opens the folder of the offered skill in which an absolute path lies; nil without one. The caller closes it.
func (l *Library) Open(name string) *workspace.Files {
	if !filepath.IsAbs(name) {
		return nil
	}
	for _, s := range l.Offered() {
		if _, ok := workspace.Within(s.Dir, name); ok {
			files, _ := workspace.Open(s.Dir) // nil if the folder is gone
			return files
		}
	}
	return nil
}
