package toolkit

import (
	"context"
	"strings"
	"time"

	"loci"
	"loci/internal/desktop"
	"loci/internal/lang"
	"loci/internal/text"
	"loci/internal/tool"
)

// mediaArgs is what media_control takes.
type mediaArgs struct {
	Action desktop.Action `json:"action" enum:"play,pause,play_pause,next,previous,stop,volume_up,volume_down,volume_set"`
	Volume int            `json:"volume,omitempty" jsonschema:"0 to 100"`
}

// playing is what media_control returns.
type playing struct {
	Player   string `json:"player"`
	Status   string `json:"status"`
	Now      string `json:"now,omitempty"` // artist – title, in the player's words
	Volume   int    `json:"volume_percent"`
	Verified bool   `json:"verified"` // the player was seen to do it

	action desktop.Action
}

// Origin names who says what is playing.
func (p playing) Origin() string {
	if p.Player == "" {
		return ""
	}
	return "media player " + p.Player
}

// mediaControl is the tool that tells media players what to do.
func mediaControl(c Config) tool.Tool {
	handle := func(ctx context.Context, _ tool.Env, args mediaArgs) (playing, error) {
		s, err := c.Desktop.Media(ctx, args.Action, args.Volume, false)
		return playingOf(s, args.Action), err
	}
	preview := func(ctx context.Context, env tool.Env, args mediaArgs) (tool.Preview, error) {
		s, err := c.Desktop.Media(ctx, args.Action, args.Volume, true)
		if err != nil {
			return tool.Preview{}, err
		}
		p := playingOf(s, args.Action)
		form := lang.Words{EN: "The player %s: %s", ZH: "播放器 %s：%s", CS: "Přehrávač %s: %s"}
		what := actionWords[args.Action].In(env.Scope.Lang)
		if args.Action == desktop.VolumeSet {
			what = actionWords[args.Action].In(env.Scope.Lang, min(max(args.Volume, 0), 100))
		}
		return tool.Preview{Text: strings.TrimSpace(form.In(env.Scope.Lang, p.Player, what) + "\n" + p.Now), Binding: string(args.Action), Subject: what}, nil
	}
	return tool.WithPreview(tool.Define(loci.ToolSpec{
		Name:    "media_control",
		Dormant: !c.Desktop.HasBus(),
		Description: `Controls music or video that plays. Opens no path. ` +
			`Example: {"action": "pause"}`,
		SideEffects: loci.EffectWrite,
		Dangerous:   true,
		Timeout:     20 * time.Second,
		Examples: []string{
			"Pause the music.",
			"Play the next song.",
			"Skip this track.",
			"Turn the volume up.",
			"Set the music volume to 30 percent.",
			"Stop playing.",
			"Go back to the previous song.",
			"暂停音乐。",
			"播放下一首歌。",
			"Pozastav hudbu.",
			"Pusť další skladbu.",
		},
	}, handle, renderPlaying), preview)
}

// playingOf makes a player's words fit to be shown: they may be anything.
func playingOf(s desktop.State, action desktop.Action) playing {
	p := playing{Player: oneLine(text.Title(s.Player, 40)), Status: oneLine(text.Clip(s.Status, 20)), Volume: s.Volume, Verified: s.Done, action: action}
	var parts []string
	for _, words := range []string{s.Artist, s.Title} {
		if words = oneLine(text.Title(words, 100)); words != "" {
			parts = append(parts, words)
		}
	}
	p.Now = strings.Join(parts, " – ")
	return p
}

// renderPlaying says what the player does now.
func renderPlaying(language string, p playing) string {
	said := statusWords[p.Status].In(language, p.Player)
	if p.Now != "" {
		said += " " + p.Now
	}
	switch p.action {
	case desktop.VolumeUp, desktop.VolumeDown, desktop.VolumeSet:
		said += " " + lang.Words{EN: "(volume %d %%)", ZH: "（音量 %d%%）", CS: "(hlasitost %d %%)"}.In(language, p.Volume)
	}
	if !p.Verified {
		said += " " + lang.Words{EN: "The player was not seen to do it.", ZH: "播放器似乎没有执行。", CS: "Přehrávač to zřejmě neudělal."}.In(language)
	}
	return said
}

var (
	statusWords = map[string]lang.Words{
		"Playing": {EN: "Playing in %s:", ZH: "%s 正在播放：", CS: "Hraje v %s:"},
		"Paused":  {EN: "Paused in %s:", ZH: "%s 已暂停：", CS: "Pozastaveno v %s:"},
		"Stopped": {EN: "Stopped in %s.", ZH: "%s 已停止。", CS: "Zastaveno v %s."},
	}
	actionWords = map[desktop.Action]lang.Words{
		desktop.Play: {EN: "play", ZH: "播放", CS: "přehrát"}, desktop.Pause: {EN: "pause", ZH: "暂停", CS: "pozastavit"},
		desktop.PlayPause: {EN: "play or pause", ZH: "播放或暂停", CS: "přehrát nebo pozastavit"},
		desktop.Next:      {EN: "next title", ZH: "下一首", CS: "další skladba"}, desktop.Previous: {EN: "previous title", ZH: "上一首", CS: "předchozí skladba"},
		desktop.Stop: {EN: "stop", ZH: "停止", CS: "zastavit"}, desktop.VolumeUp: {EN: "louder", ZH: "调高音量", CS: "hlasitěji"},
		desktop.VolumeDown: {EN: "quieter", ZH: "调低音量", CS: "tišeji"}, desktop.VolumeSet: {EN: "volume %d %%", ZH: "音量 %d%%", CS: "hlasitost %d %%"},
	}
)
