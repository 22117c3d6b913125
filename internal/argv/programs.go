package argv

import (
	"slices"
	"strings"
)

// wrappers run the program that is named in their words, or can start one when they
// are used: no rule lets them run unasked.
var wrappers = strings.Fields("env nice ionice nohup timeout time xargs parallel sudo sudoedit doas su runuser pkexec setsid setpriv stdbuf unbuffer chrt taskset numactl prlimit " +
	"chroot unshare nsenter bwrap firejail fakeroot proot systemd-run systemctl flock watch entr script scriptreplay expect strace ltrace gdb lldb valgrind perf " +
	"exec eval command builtin source busybox toybox ssh sshpass scp sftp rsync screen tmux at batch crontab start-stop-daemon run-parts run-one dbus-run-session dbus-launch xdg-open open " +
	"vi vim nvim view ex ed emacs nano pico mc less more most man info pinfo lynx w3m links mutt ftp lftp telnet nc ncat netcat socat docker podman kubectl lxc-attach machinectl cpulimit catchsegv " +
	"rlwrap chpst daemonize dtach ssh-agent xvfb-run linux32 linux64 setarch i386 x86_64 uname26 faketime find2perl sg newgrp capsh dumb-init tini catatonit " +
	"choom uclampset systemd-inhibit systemd-cat fakechroot eatmydata sem niceload env_parallel chronic ifne pee vipe lckdo mispipe hyperfine direnv ccache distcc sccache torify torsocks proxychains proxychains4 emacsclient")

// interpreters run what is written in a file or in their words.
var interpreters = strings.Fields("sh bash dash ash zsh ksh mksh csh tcsh fish rc es nu pwsh powershell python pypy perl ruby irb node nodejs deno bun php lua luajit awk gawk mawk nawk " +
	"tclsh wish guile scheme racket clojure java scala groovy jshell kotlin julia r rscript octave ghci runghc ocaml erl escript elixir iex swift gst osascript m4 bc dc sqlite sqlite3 psql mysql " +
	"ts-node tsx coffee raku gnuplot jq-repl cscript wscript go-run uv uvx npx pnpx bunx pipx " +
	"posh yash xonsh elvish osh ysh micropython mruby qjs tcc csi sbcl clisp ecl")

// builders do what files in the folder say.
var builders = strings.Fields("make gmake bmake ninja cmake just task rake npm yarn pnpm cargo go gradle gradlew mvn ant bazel tox nox pytest poetry hatch pdm dotnet mix stack cabal meson scons pre-commit composer bundle " +
	"tup redo doit invoke inv fab nx turbo lerna mage earthly buck buck2 pants waf xmake sbt lein rebar3 dune opam luarocks phing gulp grunt jest mocha vitest")

// Wrapper tells whether a program runs others that are named in its words.
func Wrapper(name string) bool {
	return slices.Contains(wrappers, strings.ToLower(name)) || strings.HasPrefix(name, "ld-") || strings.HasPrefix(name, "ld.so") || strings.HasPrefix(name, "ld64.")
}

// Interpreter tells whether a program runs a program that is a file among its words,
// or written in them. Versions in its name, as in python3.11, do not count.
func Interpreter(name string) bool {
	name = strings.ToLower(name)
	return slices.Contains(interpreters, name) || slices.Contains(interpreters, strings.TrimRight(name, "0123456789.-"))
}

// Builds tells whether what a program does is written in files of the folder that it
// runs in.
func Builds(name string) bool { return slices.Contains(builders, strings.ToLower(name)) }
