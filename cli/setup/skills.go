package setup

import (
	"path/filepath"

	"plimsoll/config"
	"plimsoll/tools/skill"
)

// skillFolders are the folders of a workspace that hold skills, in the order in which they count.
var skillFolders = []string{".plimsoll/skills", ".agents/skills", ".claude/skills"}

// Skills finds the skills for a configuration.
func (s *Settings) Skills(cfg config.Config) *skill.Library {
	if !cfg.Skills.Enabled {
		return nil
	}
	return skill.Find(s.skillSources(cfg), s.ContentTrust)
}

// skillSources lists the folders with skills: the user's own, those of the configuration, those of the workspace.
func (s *Settings) skillSources(cfg config.Config) []skill.Source {
	var sources []skill.Source
	if s.Paths.Config != "" {
		own := filepath.Join(s.Paths.Config, "skills")
		sources = append(sources, skill.Source{Folder: own, Name: s.Console.Home(own)})
	}
	for _, folder := range cfg.Skills.Folders {
		sources = append(sources, s.skillFolder(folder))
	}
	for _, folder := range skillFolders {
		sources = append(sources, skill.Source{Folder: filepath.Join(s.Workspace, folder), Name: folder, Workspace: s.Workspace})
	}
	return sources
}

// skillFolder is a folder of skills.folders. One that is not absolute, or lies in the workspace, came with the workspace.
func (s *Settings) skillFolder(folder string) skill.Source {
	folder = filepath.Clean(s.Console.Expand(folder, s.Workspace))
	if rel, ok := s.inWorkspace(folder); ok {
		return skill.Source{Folder: filepath.Join(s.Workspace, rel), Name: rel, Workspace: s.Workspace}
	}
	return skill.Source{Folder: folder, Name: s.Console.Home(folder)}
}

func (s *Settings) workspaceSkills() []WorkspaceContent {
	var contents []WorkspaceContent
	for _, k := range s.Skills(s.Cfg()).All() {
		if k.Content != "" {
			contents = append(contents, WorkspaceContent{Path: k.Path(), Text: k.Content, Why: "gives the model instructions with scripts or names of tools"})
		}
	}
	return contents
}
