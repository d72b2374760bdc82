package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"plimsoll/conversation"
	"plimsoll/tools/params"
	"plimsoll/tools/permission"
	"plimsoll/tools/workspace"
)

// load_skill gives the model the text of a skill. It is declared only where a skill is offered, and its description lists them.
// The files of a skill are read by read_file and list_files, which reach the folders of offered skills outside the workspace
// too. What a skill says of allowed tools grants nothing.

const loadSkillName = "load_skill"

// Bounds of the description, in bytes: less than a tenth of the windows for which the forms are made.
const (
	skillsAboutMost = 3000
	skillsBriefMost = 900
)

func (b *Box) loadSkill() tool {
	const what = "Load a skill, instructions for a kind of task that the user keeps. Load it before you begin such a task. The skills:"
	const more = "\nand %d more; a call with another name lists all"
	var skills []listed
	for _, s := range b.options.Skills.Offered() {
		skills = append(skills, listed{s.Name, s.Description})
	}
	return tool{
		name: loadSkillName, readOnly: true, subject: []string{"name"},
		about:  withList(what, skills, skillsAboutMost, more),
		brief:  withList("Load instructions for a kind of task:", skills, skillsBriefMost, more),
		params: []params.Param{{Name: "name", Kind: params.Text, Required: true, About: "name of the skill"}},
		run: func(_ context.Context, args params.Values, _ func(string)) (result, error) {
			return b.runLoadSkill(args.Text("name"))
		},
	}
}

func (b *Box) runLoadSkill(name string) (result, error) {
	s, err := b.options.Skills.Load(strings.TrimSpace(name))
	if err != nil {
		return result{}, err
	}
	var out strings.Builder
	fmt.Fprintf(&out, "Skill %s, instructions from %s. Paths in it are relative to that folder.\n", s.Name, s.Dir)
	if len(s.AllowedTools) > 0 {
		fmt.Fprintf(&out, "It names allowed tools (%s); calls need the same approval as without it.\n", strings.Join(s.AllowedTools, ", "))
	}
	if len(s.Files) > 0 {
		out.WriteString("Its other files, for read_file with the whole path:\n")
		for _, f := range s.Files[:min(len(s.Files), 50)] {
			out.WriteString("- " + f + "\n")
		}
		if more := len(s.Files) - 50; more > 0 {
			fmt.Fprintf(&out, "and %d more, which list_files shows\n", more)
		}
	}
	out.WriteString("\n" + s.Text + "\n")
	return result{text: out.String(), events: []conversation.Body{
		conversation.SkillLoaded{Name: s.Name, Path: s.Path(), Hash: s.Hash, Size: s.Size()},
	}}, nil
}

// reach returns the files that a path of a reading tool lies in, with the path in them: the workspace, or the folder of an offered
// skill outside of it. Without an error the caller calls done when it has read. shown is the path for rules and for the user.
func (b *Box) reach(name string) (files *workspace.Files, p, shown workspace.Path, done func(), err error) {
	p, err = b.files.Locate(name)
	if err == nil {
		return b.files, p, p, func() {}, nil
	}
	skillFiles := b.options.Skills.Open(name)
	if skillFiles == nil {
		return nil, p, p, nil, err
	}
	done = func() { _ = skillFiles.Close() } // opened for reading
	if p, err = skillFiles.Locate(name); err == nil {
		if _, err = skillFiles.Stat(p); errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("there is no %s in the folder of the skill, %s", p.Name, skillFiles.Dir)
		}
	}
	shown = workspace.Path{Rel: filepath.Join(skillFiles.Dir, p.Rel), Name: filepath.Join(skillFiles.Dir, p.Name)}
	if err != nil {
		done()
		return nil, p, shown, nil, err
	}
	return skillFiles, p, shown, done, nil
}

// readEffect describes a call that reads a file, or lists a folder.
func (b *Box) readEffect(tool, name string, folder bool) (permission.Effect, error) {
	files, p, shown, done, err := b.reach(name)
	if err != nil {
		return permission.Effect{}, err
	}
	defer done()
	if folder {
		err = files.Directory(p)
	}
	return permission.OfFile(tool, permission.AccessRead, shown), err
}
