// Package console is what the commands know of the world outside: the streams they
// read and write, the environment, and how what they tell looks there. Text that
// goes to a terminal is made safe; JSON holds nothing a terminal would act on; an
// error says what happened and what to do, and decides the exit code.
package console
