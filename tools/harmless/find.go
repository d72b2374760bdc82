package harmless

import (
	"fmt"
	"strings"
)

// The predicates of find that only look. A letter behind a name says what follows: a text or a number (=), nothing.
var looking = options("-name= -iname= -path= -ipath= -wholename= -type= -maxdepth= -mindepth= -size= -mtime= -mmin= -atime= -amin= " +
	"-ctime= -cmin= -perm= -user= -group= -links= -regex= -iregex= -regextype= -newer@ -empty -print -print0 -not -a -and -o -or -prune -depth " +
	"-xdev -mount -readable -writable -executable -true -false ! ( ) ,")

// expression judges the words of find: folders first, then what to look for.
func (c *check) expression(args []string) error {
	i := 0
	for ; i < len(args) && !strings.HasPrefix(args[i], "-") && args[i] != "!" && args[i] != "("; i++ {
		if err := c.file(args[i]); err != nil {
			return err
		}
	}
	for ; i < len(args); i++ {
		switch k := looking[args[i]]; {
		case k == 0:
			return fmt.Errorf("%s is not known to be harmless", args[i])
		case k == flag:
			continue
		case i+1 == len(args):
			return fmt.Errorf("%s lacks its value", args[i])
		case k == file:
			i++
			if err := c.reads(args[i]); err != nil {
				return err
			}
		default:
			// A value may begin with a dash here, -mtime -1: the predicate takes the next word whatever it is.
			i++
		}
	}
	return nil
}
