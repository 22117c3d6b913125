package intent

import (
	"strconv"
	"strings"

	"loci"
	"loci/internal/lang"
)

// Words for this machine.
const (
	thisMachine = `(?:this|my|the|your) (?:computer|machine|pc|laptop|mac|system|server|box|device|notebook)`
	computerZH  = `(?:電脑|电脑|系统|机器|计算机|主机)`
)

// processRules ask what runs. They come before the rules for the parts of the
// machine: what is using my memory is not how much memory is in use.
func processRules() []rule {
	return []rule{{newPatterns(
		`^(?:is|are)(?: the)?(?: program| process| app)? (?P<name>[\w.+-]{2,40})(?: process| program)? (?:still )?(?:running|open|active|started)(?: (?:now|here|(?:on )?`+thisMachine+`))*$`,
		`^(?P<name>[\w.+-]{2,40})\s*(?:在|正在)?运行(?:着|中)?$`, `^(?:běží|je spuštěn\pL*)(?: tu| mi)?(?: program)? (?P<name>[\w.+-]{2,40})$`,
	), func(_ *utterance, m captures) goal {
		if noProgram.has(m["name"]) {
			return nil
		}
		return oneCall{tool: listProcesses, args: arguments{"name": m["name"]}}
	}}, {newPatterns(
		`^(?:how many|number of|count(?: the)?) (?:processes|programs|tasks|apps)(?: (?:are|is|there|do i have|running|currently|active|open))*(?: (?:here|on `+thisMachine+`))?$`,
		`^(?:现在)?(?:有)?多少(?:个)?(?:进程|程序)(?:在|正在)?(?:运行)?$`, `^kolik (?:procesů|programů)(?: tu| právě| teď)* (?:běží|je spuštěno)$`,
	), func(*utterance, captures) goal {
		return oneCall{listProcesses, arguments{"limit": 1}, func(u *utterance, r loci.ToolResult) string {
			return processCount.In(u.Lang, decode[processResult](r).Total)
		}}
	}}, {newPatterns(
		`^(?:what|who|which (?:programs?|process(?:es)?|apps?|applications?))(?:'s| is| are)?(?: currently)? (?:using|eating|hogging|taking|consuming|use|uses|takes?|slowing|loading)(?: up| down)?(?: all| most| the most| so much| too much)*(?: of)?(?: my| the)? (?:cpu|processor|memory|ram|computer|machine)(?: time| power)?(?: down)?$`,
		`^(?:which|what) (?:programs?|process(?:es)?|apps?|applications?)(?: are| is)?(?: currently)? (?:running|active|open)(?: (?:on `+thisMachine+`|here))?$`,
		`^(?:show|list|display|give)(?: me)?(?: the| all| my)*(?: top| running| busiest| active)*(?: (?P<count>\d{1,2}|ten))? (?:process(?:es)?|programs|tasks)(?: list| running)?$`,
		`^(?:top|ps|htop|tasklist)$`,
		`^why is `+thisMachine+`(?: so| running| very)* (?:slow|hot|loud|laggy|sluggish)(?: today| lately)?$`,
		`^what(?:'s| is)(?: currently)? running(?: (?:on `+thisMachine+`|here))?$`,
		// Chinese
		`^(?:哪个|哪些|什么|有哪些|现在有哪些)(?:程序|进程|应用|软件).{0,4}(?:占|用|运行|在跑|消耗|吃).{0,14}$`,
		`^(?:现在|目前)?(?:有)?(?:哪些|什么)(?:程序|进程|应用)(?:在|正在)?运行$`, `^(?:列出|显示|查看)(?:所有|当前)?的?进程(?:列表)?$`,
		`^(?:我的)?`+computerZH+`(?:为什么|怎么)(?:这么|那么|很)?(?:慢|卡).{0,2}$`, `^为什么(?:我的)?`+computerZH+`(?:这么|那么|很)?(?:慢|卡).{0,2}$`,
		// Czech
		`^(?:co|kdo|který program|které programy|jaké programy|které procesy)(?: mi| tu)?(?: teď)?(?: nejvíc| nejvíce)? (?:vytěžuje|vytěžují|zatěžuje|zatěžují|žere|žerou|používá|zpomaluje)(?: mi| můj)?(?: nejvíc)? (?:procesor|paměť|cpu|ram|počítač)$`,
		`^(?:co|které programy|jaké programy|které procesy|jaké procesy)(?: tu| teď| právě| na počítači)* běží(?: na počítači)?$`,
		`^(?:ukaž|vypiš)(?: mi)?(?: běžící)? procesy$`, `^proč je(?: můj| ten)? počítač(?: tak)? pomalý$`,
	), func(u *utterance, m captures) goal { return u.processes(m["count"]) }}}
}

// noProgram are words before running that name no program.
var noProgram = newPattern(`^(?:it|he|she|you|we|they|that|this|these|those|there|time|water|anyone|anybody|everyone|everything|something|anything|what|who|to)$`)

var (
	processCount = lang.Words{EN: "%d processes are running.", ZH: "有 %d 个进程在运行。", CS: "Běžících procesů: %d."}
	diskFull     = lang.Words{EN: "Yes, nearly: ", ZH: "是的，快满了：", CS: "Ano, skoro: "}
	diskNotFull  = lang.Words{EN: "No: ", ZH: "没有：", CS: "Ne: "}
)

// isFull answers whether the disk is full, which it is in effect with a twentieth
// of it left.
func isFull(u *utterance, r loci.ToolResult) string {
	full := diskNotFull
	disks := decode[systemResult](r).Disks
	for _, d := range disks {
		if d.Free < d.Total/20 {
			full = diskFull
		}
	}
	if len(disks) == 0 {
		return ""
	}
	return full.In(u.Lang) + strings.TrimSpace(r.Text)
}

// memoryUse are words for what else than the processor a process can use up.
var memoryUse = newPattern(`(?:^| )(?:memory|ram|pamě\pL+)(?: |$)|内存`)

// processes makes the goal of listing the busiest processes, as many as the words
// ask for.
func (u *utterance) processes(count string) goal {
	args := arguments{}
	if memoryUse.has(u.core) {
		args["sort"] = "memory"
	}
	if n, err := strconv.Atoi(count); err == nil {
		args["limit"] = n
	} else if count != "" {
		args["limit"] = 10 // ten
	}
	return oneCall{tool: listProcesses, args: args}
}

// systemRules ask for one part of the machine, the whole if part is empty. The
// patterns allow no words but those they know, because the parts have names with
// other meanings: memory, space, address.
func systemRules() []rule {
	parts := []struct {
		part     string
		patterns []string
	}{
		{"memory", []string{
			`^(?:how much|what(?:'s| is)(?: the| my)?|show(?: me)?(?: the| my)?|is there(?: enough| any)?|check(?: the| my)?|do i have(?: enough| any)?)(?: free| available| total| unused| used)? (?:memory|ram)(?: usage| use)?(?: is| do i| do i have| does| ` + thisMachine + `| have| free| left| available| used| in use| installed| remaining| there)*$`,
			`^(?:free|available|total) (?:memory|ram)$`, `^(?:memory|ram) (?:usage|left|free)$`, `^ram$`,
			// Chinese
			`^.{0,8}(?:剩|有|可用|空闲|用了|占用).{0,4}多少.{0,4}内存$`, `^(?:我的|` + computerZH + `)*的?(?:可用|空闲|剩余)?内存.{0,3}(?:剩|有|够|可用|使用|多大|多少).{0,6}$`,
			// Czech
			`^kolik(?: je| mám| zbývá| mi zbývá)?(?: teď)?(?: volné| dostupné| operační)* (?:paměti|ram)(?: je| mám| zbývá| mi zbývá)?(?: volné| volno)?$`, `^volná paměť$`,
		}},
		{"disk", []string{
			`^(?:how much|is there(?: enough| any)?|what(?:'s| is)(?: the| my)?|show(?: me)?(?: the| my)?|check(?: the| my)?|do i have(?: enough| any)?)(?: free| available| total| used| my)*(?: disk| storage| drive| hard disk| hard drive| ssd)?(?: disk)? (?:space|storage|capacity|room)(?: is| do i| do i have| have| does| ` + thisMachine + `| left| free| available| remaining| used| there| on (?:my|the|this) (?:disk|drive|hard disk|hard drive|ssd|computer|machine|laptop))*$`,
			`^(?:how full is|how big is|how large is)(?: my| the) (?:disk|hard disk|hard drive|drive|ssd)(?: nearly| almost)?(?: full)?$`,
			`^(?:free |available )?disk (?:space|usage)$`, `^free space$`, `^df(?: -h)?$`,
			// Chinese
			`^(?:我的)?(?:磁盘|硬盘|存储)(?:空间)?(?:上)?(?:还)?(?:有|剩|剩下|剩余)(?:多少)?(?:可用|剩余)?(?:空间)?$`, `^(?:还)?(?:有|剩)多少(?:可用)?的?(?:磁盘|硬盘|存储)(?:空间)?$`,
			// Czech
			`^kolik(?: je| mám| zbývá| mi zbývá)?(?: volného)? (?:místa|prostoru)(?: je| mám| zbývá| mi zbývá)?(?: volného)?(?: na (?:disku|počítači))?$`, `^místo na disku$`,
		}},
		{"cpu", []string{
			`^how (?:busy|loaded|fast) is(?: my| the)? (?:cpu|processor)$`,
			`^(?:which|what)(?: kind of| type of| sort of)? (?:cpu|processor)(?: model)?(?: do i have| is this| is in ` + thisMachine + `| does ` + thisMachine + ` have| am i using| is it)?$`,
			`^how many (?:cores|cpus|processors|cpu cores)(?: do i have| does ` + thisMachine + ` have| are there| are in ` + thisMachine + `)?$`,
			`^(?:what(?:'s| is)(?: the| my)? )?(?:cpu|processor) (?:usage|load|model|utili[sz]ation|speed)$`,
			// Chinese
			`^.{0,8}(?:什么|哪种|哪个|几个|多少).{0,3}(?:处理器|CPU)$`, `^(?:我的)?(?:处理器|CPU)\s*(?:是什么|型号|使用率|占用率|负载|有多忙|忙不忙|有几核).{0,6}$`,
			// Czech
			`^(?:jaký|který)(?: tu)?(?: mám| je)?(?: tu| v počítači)? procesor(?: mám| je to)?$`, `^jak(?: moc)? (?:je )?vytížený (?:je )?(?:procesor|cpu)$`,
		}},
		{"os", []string{
			`^(?:which|what) (?:operating system|os|linux version|kernel version|version of (?:linux|windows|macos))(?: version)?(?: is this| is it| is running| is ` + thisMachine + ` (?:running|using)| am i (?:running|using|on)| do i (?:have|use)| does ` + thisMachine + ` (?:have|use|run)| is installed)?$`,
			`^uname(?: -a)?$`,
			`^what(?:'s| is)(?: the| my)? (?:hostname|host name|os|operating system|kernel(?: version)?|computer name|name of ` + thisMachine + `)(?: of ` + thisMachine + `)?$`,
			// Chinese
			`^.{0,8}(?:什么|哪个|哪种|哪一个)(?:操作系统|系统)$`, `^(?:我的)?操作系统是什么$`,
			// Czech
			`^(?:jaký|který)(?: tu)?(?: je| mám| tu běží| používám| to je)?(?: tu)? operační systém(?: mám| používám| tu je)?$`,
		}},
		{"uptime", []string{
			`^(?:how long|since when) (?:has|is|was) ` + thisMachine + ` (?:been )?(?:running|on|up|turned on|started|switched on)(?: for)?$`, `^(?:what(?:'s| is)(?: the| my)? )?uptime(?: of ` + thisMachine + `)?$`, `^when (?:was|did) ` + thisMachine + ` (?:last )?(?:start|started|booted|boot|turned on|restarted)$`,
			`^(?:我的)?` + computerZH + `.{0,4}(?:运行|开机)了?多(?:久|长时间)(?:了)?$`, `^(?:jak dlouho|od kdy) (?:už )?(?:běží|je zapnutý)(?: tento| můj| ten)? (?:počítač|stroj)$`,
		}},
		{"network", []string{
			`^what(?:'s| is| are)(?: the| my)?(?: local| private)? ip(?: address(?:es)?)?(?: of ` + thisMachine + `)?$`, `^(?:show|list)(?: me)?(?: my| the)? (?:ip|network) (?:address(?:es)?|interfaces?|info)$`, `^(?:my )?ip address$`, `^(?:ifconfig|ip a)$`,
			// Chinese
			`^.{0,6}IP\s*(?:地址)?(?:是)?(?:什么|多少|啥)$`,
			// Czech
			`^jak(?:á|ou) (?:je |mám )?(?:moje |má |mou )?ip(?: adresa| adresu)?$`,
		}},
		{"", []string{
			`^(?:about|describe|show(?: me)?|what kind of computer is|what are the specs of) ` + thisMachine + `(?: info| information| specs?)?$`,
			`^(?:system|computer|machine) (?:info|information|specs?|status)$`,
			// Chinese
			`^` + computerZH + `(?:信息|配置|状态)$`,
			// Czech
			`^(?:informace o (?:systému|počítači))$`,
		}},
	}
	rules := make([]rule, len(parts), len(parts)+1)
	for i, p := range parts {
		rules[i] = rule{newPatterns(p.patterns...), func(*utterance, captures) goal {
			return oneCall{tool: systemInfo, args: arguments{"part": p.part}}
		}}
	}
	return append(rules, rule{newPatterns(
		`^is(?: my| the)(?: hard)? (?:disk|drive|ssd)(?: nearly| almost)?(?: full)$`, `^(?:am i|are we) (?:running )?(?:out of|low on) (?:disk )?space$`,
		`^(?:我的)?(?:磁盘|硬盘)(?:快)?满了(?:没有)?$`, `^(?:je|mám)(?: můj)? (?:plný disk|disk plný)$`,
	), func(*utterance, captures) goal {
		return oneCall{systemInfo, arguments{"part": "disk"}, isFull}
	}})
}
