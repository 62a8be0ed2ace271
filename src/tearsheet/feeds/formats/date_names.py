"""Names of months, zones and halves of the day as they occur in feeds. Data, apart from the code that uses it."""

from __future__ import annotations

_MONTH_NAMES = """
en january february march april may june july august september october november december
en jan feb mar apr may jun jul aug sep oct nov dec
en jan. feb. mar. apr. may. june. july. aug. sept oct. nov. dec.
de januar februar märz april mai juni juli august september oktober november dezember
de jänner feber mrz apr mai jun jul aug sep okt nov dez
de jan feb maerz apr mai jun jul aug sept okt nov dez
fr janvier février mars avril mai juin juillet août septembre octobre novembre décembre
fr janv févr mars avr mai juin juil aout sept oct nov déc
fr janv fevrier mars avr mai juin juill aoû sept oct nov decembre
es enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
es ene feb mar abr may jun jul ago setiembre oct nov dic
it gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
it gen feb mar apr mag giu lug ago set ott nov dic
pt janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
pt jan fev marco abr mai jun jul ago set out nov dez
nl januari februari maart april mei juni juli augustus september oktober november december
nl jan feb mrt apr mei jun jul aug sep okt nov dec
sv januari februari mars april maj juni juli augusti september oktober november december
da januar februar marts april maj juni juli august september oktober november december
no januar februar mars april mai juni juli august september oktober november desember
no jan feb mars apr mai juni juli aug sep okt nov des
fi tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu marraskuu joulukuu
fi tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu
fi tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta
pl stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
pl sty lut mar kwi maj cze lip sie wrz paź lis gru
cs ledna února března dubna května června července srpna září října listopadu prosince
cs leden únor březen duben květen červen červenec srpen září říjen listopad prosinec
sk januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra
hu január február március április május június július augusztus szeptember október november december
hu jan feb márc ápr máj jún júl aug szept okt nov dec
ro ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
ro ian feb mar apr mai iun iul aug sept oct noi dec
hr siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada. studenoga prosinca
sr januar februar mart april maj jun jul avgust septembar oktobar novembar decembar
tr ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
tr oca şub mar nis may haz tem ağu eyl eki kas ara
id januari februari maret april mei juni juli agustus september oktober november desember
id jan peb mar apr mei jun jul agu sep okt nop des
ru января февраля марта апреля мая июня июля августа сентября октября ноября декабря
ru янв фев мар апр май июн июл авг сен окт ноя дек
ru январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь
uk січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
uk січ лют бер кві тра чер лип сер вер жов лис гру
bg януари февруари март април май юни юли август септември октомври ноември декември
el ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου
el ιαν φεβ μάρ απρ μάι ιούν ιούλ αύγ σεπ οκτ νοέ δεκ
el ιαν φεβ μαρ απρ μαι ιουν ιουλ αυγ σεπ οκτ νοε δεκ
el ιαν φεβ μάρ απρ μαϊ ιον ιολ αυγ σεπ οκτ νοεμ δεκ
ar يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
ar يناير فبراير مارس ابريل مايو يونيه يوليه اغسطس سبتمبر اكتوبر نوفمبر ديسمبر
he ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר
hi जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर
"""

_AMBIGUOUS = frozenset({"listopada", "lipnja"})
"""The same word for two months in two languages: not understood rather than misunderstood. Croatian `lipnja` is June alone."""


def _months() -> dict[str, int]:
    found: dict[str, set[int]] = {}
    for line in _MONTH_NAMES.strip().splitlines():
        for number, name in enumerate(line.split()[1:], start=1):
            found.setdefault(name.rstrip("."), set()).add(number)
    return {name: numbers.pop() for name, numbers in found.items() if len(numbers) == 1}


MONTHS = _months()
"""Lower-case month names of many languages, full and short, to their number."""

ZONE_MINUTES = {
    "z": 0, "ut": 0, "utc": 0, "gmt": 0, "wet": 0, "uct": 0, "zulu": 0,
    "bst": 60, "west": 60, "cet": 60, "mez": 60, "met": 60, "wat": 60,
    "cest": 120, "mesz": 120, "mest": 120, "eet": 120, "sast": 120, "cat": 120,
    "eest": 180, "msk": 180, "trt": 180, "eat": 180, "idt": 180,
    "msd": 240, "gst": 240, "pkt": 300, "ist": 330, "npt": 345, "wib": 420, "ict": 420,
    "hkt": 480, "sgt": 480, "awst": 480, "pht": 480, "myt": 480, "wita": 480, "jst": 540, "kst": 540, "wit": 540,
    "acst": 570, "aest": 600, "acdt": 630, "aedt": 660, "nzst": 720, "nzdt": 780,
    "nst": -210, "ndt": -150, "ast": -240, "adt": -180, "brt": -180, "art": -180, "clt": -240,
    "est": -300, "edt": -240, "et": -300, "cst": -360, "cdt": -300, "ct": -360,
    "mst": -420, "mdt": -360, "mt": -420, "pst": -480, "pdt": -420, "pt": -480,
    "akst": -540, "akdt": -480, "hst": -600,
}  # fmt: skip
"""Zone names to minutes east of Greenwich. Shared names mean what RFC 822 says (EST, CST …), else the larger zone."""

AFTERNOON = frozenset({"pm", "p.m.", "p.m", "오후", "下午", "午後"})
FORENOON = frozenset({"am", "a.m.", "a.m", "오전", "上午", "午前"})
